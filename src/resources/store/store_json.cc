#include "resources/store/store_json.h"

namespace shopbell::store {

namespace {

const json::Table<Usage>& usage_json() {
  static const json::Table<Usage> table{
      "StoreUsage",
      "What the store holds. Counted now and then: `asOf` says when.",
      {json::integer("contacts", &Usage::contacts), json::integer("products", &Usage::products),
       json::integer("purchases", &Usage::purchases),
       json::integer("eventsThisMonth", &Usage::events_this_month),
       json::instant("asOf", &Usage::as_of)}};
  return table;
}

const json::Table<SendLimits>& send_limits_json() {
  static const json::Table<MarketingLimits> marketing{
      "MarketingLimits",
      "Most marketing messages per person; null: no limit.",
      {json::integer("perDay", &MarketingLimits::per_day),
       json::integer("perWeek", &MarketingLimits::per_week)}};
  static const json::Table<SendLimits> table{
      "SendLimits",
      "How often a person may be written to.",
      {json::object("marketing", &SendLimits::marketing, marketing)}};
  return table;
}

const json::Table<RequestLimits>& limits_json() {
  static const json::Table<RequestLimits> table{
      "StoreLimits",
      "What a request may hold.",
      {json::integer("bodyBytes", &RequestLimits::body_bytes),
       json::integer("headerBytes", &RequestLimits::header_bytes),
       json::integer("pathBytes", &RequestLimits::path_bytes)}};
  return table;
}

}  // namespace

const json::Table<Store>& store_json() {
  static const json::Table<Store> table{
      "Store",
      "The shop itself: one per account.",
      {json::uuid("id", &Store::id).read_only(),
       json::text("name", &Store::name).length_max(255).example(R"("Bell & Daughters")"),
       json::text("url", &Store::url)
           .format("uri")
           .length_max(2048)
           .example(R"("https://bell.example")"),
       json::text("timeZone", &Store::time_zone)
           .doc("IANA time zone.")
           .example(R"("Europe/Vienna")"),
       json::text("currency", &Store::currency)
           .doc("ISO 4217. Fixed once the first purchase exists.")
           .example(R"("EUR")"),
       json::text("locale", &Store::locale).doc("BCP 47 language tag.").example(R"("de-AT")"),
       json::text("country", &Store::country).doc("ISO 3166-1 alpha-2.").example(R"("AT")"),
       json::texts("domains", &Store::domains)
           .doc("When not empty, product URLs must lie on one of these.")
           .example(R"(["bell.example"])"),
       json::text("marketingRequires", &Store::marketing_requires)
           .doc("Whom marketing may reach: people who subscribed, or everybody who did not "
                "unsubscribe.")
           .options({"subscribed", "notUnsubscribed"}),
       json::object("sendLimits", &Store::send_limits, send_limits_json()),
       json::object("limits", &Store::limits, limits_json()).read_only(),
       json::object("usage", &Store::usage, usage_json()).read_only(),
       json::instant("createdAt", &Store::created_at).read_only(),
       json::instant("updatedAt", &Store::updated_at).read_only()}};
  return table;
}

}  // namespace shopbell::store
