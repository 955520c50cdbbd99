#include "resources/store/store_json.h"

#include <algorithm>
#include <format>

#include "base/text.h"

namespace shopbell::store {

namespace {

constexpr std::int64_t kMessagesMost = 1000;

// True for a host name: lowercase letters, digits, hyphens and at least one dot.
bool is_domain(std::string_view text) {
  return text.contains('.') && is_web_url(std::format("https://{}/", text)) &&
         std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
         });
}

const json::Table<Usage>& usage_json() {
  static const json::Table<Usage> table{
      "StoreUsage",
      "The store's usage, counted periodically; `asOf` is the time of the last count.",
      {json::integer("contacts", &Usage::contacts), json::integer("products", &Usage::products),
       json::integer("purchases", &Usage::purchases),
       json::integer("eventsThisMonth", &Usage::events_this_month),
       json::instant("asOf", &Usage::as_of)}};
  return table;
}

const json::Table<SendLimits>& send_limits_json() {
  static const json::Table<MarketingLimits> marketing{
      "MarketingLimits",
      "The maximum number of marketing messages per contact; null: no limit.",
      {json::integer("perDay", &MarketingLimits::per_day).minimum(0).maximum(kMessagesMost),
       json::integer("perWeek", &MarketingLimits::per_week).minimum(0).maximum(kMessagesMost)}};
  static const json::Table<SendLimits> table{
      "SendLimits",
      "Limits on the number of messages per contact.",
      {json::object("marketing", &SendLimits::marketing, marketing)}};
  return table;
}

const json::Table<RequestLimits>& limits_json() {
  static const json::Table<RequestLimits> table{
      "StoreLimits",
      "Limits on the size and the rate of requests.",
      {json::integer("bodyBytes", &RequestLimits::body_bytes),
       json::integer("headerBytes", &RequestLimits::header_bytes),
       json::integer("pathBytes", &RequestLimits::path_bytes),
       json::integer("requestsPerSecond", &RequestLimits::requests_per_second),
       json::integer("requestBurst", &RequestLimits::request_burst)}};
  return table;
}

}  // namespace

const json::Table<Store>& store_json() {
  static const json::Table<Store> table{
      "Store",
      "The store; each account has one.",
      {json::uuid("id", &Store::id),
       json::text("name", &Store::name).required().length_min(1).example(R"("Bell & Daughters")"),
       json::text("url", &Store::url)
           .format("uri")
           .length_max(2048)
           .rule(is_web_url, "Must be an http or https URL without a user name.")
           .example(R"("https://bell.example")"),
       json::text("timeZone", &Store::time_zone)
           .doc("IANA time zone.")
           .required()
           .rule(is_time_zone, "Is not an IANA time zone, such as Europe/Vienna.")
           .example(R"("Europe/Vienna")"),
       json::text("currency", &Store::currency)
           .doc("ISO 4217. Fixed once the first purchase exists.")
           .required()
           .pattern("^[A-Z]{3}$")
           .rule(is_currency, "Is not an ISO 4217 currency, such as EUR.")
           .example(R"("EUR")"),
       json::text("locale", &Store::locale)
           .doc("BCP 47 language tag.")
           .required()
           .rule(is_locale, "Is not a language tag, such as de-AT.")
           .example(R"("de-AT")"),
       json::text("country", &Store::country)
           .doc("ISO 3166-1 alpha-2.")
           .pattern("^[A-Z]{2}$")
           .rule(is_country, "Is not an ISO 3166-1 country, such as AT.")
           .example(R"("AT")"),
       json::texts("domains", &Store::domains)
           .doc("If not empty, product URLs must be on one of these domains.")
           .items_max(100)
           .rule(is_domain, "Must be a host name in lowercase, such as shop.example.")
           .example(R"(["bell.example"])"),
       json::text("marketingRequires", &Store::marketing_requires)
           .doc("Contacts that marketing may reach: those who subscribed, or all who did not "
                "unsubscribe.")
           .required()
           .options({"subscribed", "notUnsubscribed"}),
       json::object("sendLimits", &Store::send_limits, send_limits_json()),
       json::object("limits", &Store::limits, limits_json()).read_only(),
       json::object("usage", &Store::usage, usage_json()).read_only(),
       json::instant("createdAt", &Store::created_at).read_only(),
       json::instant("updatedAt", &Store::updated_at).read_only()}};
  return table;
}

}  // namespace shopbell::store
