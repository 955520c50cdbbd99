#include "resources/exports/export_json.h"

#include <algorithm>
#include <format>
#include <map>
#include <stdexcept>

#include "base/identity.h"
#include "base/limits.h"

namespace shopbell::exports {

namespace {

using json::Field;
using json::Reading;
using json::Value;

const std::vector<std::string> kSubscriptions{"subscribed", "unsubscribed", "pending", "none"};

// The filters of each type; the first word of a list is one it cannot do without, or nothing.
const std::map<std::string, std::vector<std::string>>& filters_by_type() {
  static const std::map<std::string, std::vector<std::string>> types{
      {"contacts", {"", "updatedAfter", "emailSubscription", "smsSubscription", "tags", "since"}},
      {"products", {"", "updatedAfter", "availability", "categories", "since"}},
      {"purchases", {"", "from", "to", "status", "contact", "since"}},
      {"coupons", {"couponSet", "couponSet", "state"}},
      {"activities", {"", "from", "to", "kinds", "contact", "since"}}};
  return types;
}

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (const auto& [name, filters] : filters_by_type()) names.push_back(name);
  return names;
}

const json::Table<ContactName>& contact_name_json() {
  static const json::Table<ContactName> table{
      "ContactName",
      "A contact, by one of its names.",
      {json::text("id", &ContactName::id)
           .format("uuid")
           .rule([](std::string_view text) { return Uuid::parse(text).has_value(); },
                 "Is not an id."),
       json::text("email", &ContactName::email)
           .length_max(254)
           .rule([](std::string_view text) { return email_key(text).has_value(); },
                 "Is not an e-mail address."),
       json::text("externalId", &ContactName::external_id)
           .length_min(1)
           .length_max(limits::kExternalIdCharacters)}};
  return table;
}

Field<Filters> contact() {
  json::Schema shown = contact_name_json().patch_schema();
  shown.nullable = true;
  return {"contact", shown,
          [](json::Writer& writer, const Filters& filters) {
            filters.contact ? contact_name_json().write(writer, *filters.contact)
                            : void(writer.null());
          },
          [](Reading& reading, const Value& value, const Field<Filters>&) -> Field<Filters>::Set {
            if (value.type() == json::Type::null)
              return [](Filters& filters) { filters.contact.reset(); };
            ContactName name;
            contact_name_json().read_patch(value, reading).apply_to(name);
            return [name](Filters& filters) { filters.contact = name; };
          }};
}

std::vector<Field<Filters>> filter_fields() {
  const auto words = [](std::string name, std::vector<std::string> Filters::* member) {
    return json::texts(std::move(name), member).items_max(50).element([](json::Schema& element) {
      element.length_min = 1;
    });
  };
  const auto some_of = [&](std::string name, std::vector<std::string> Filters::* member,
                           std::vector<std::string> options) {
    return words(std::move(name), member).element([options](json::Schema& element) {
      element.options = options;
    });
  };
  std::vector<Field<Filters>> fields{
      json::instant("updatedAfter", &Filters::updated_after).doc("Contacts, products."),
      json::text("emailSubscription", &Filters::email_subscription)
          .options(kSubscriptions)
          .doc("Contacts."),
      json::text("smsSubscription", &Filters::sms_subscription)
          .options(kSubscriptions)
          .doc("Contacts."),
      words("tags", &Filters::tags).doc("Contacts that have all of them."),
      json::instant("from", &Filters::from).doc("Purchases, activities: when they happened."),
      json::instant("to", &Filters::to).doc("Purchases, activities: before this."),
      words("kinds", &Filters::kinds).doc("Activities, such as `contact.created`."),
      contact(),
      some_of("status", &Filters::status,
              {"placed", "paid", "fulfilled", "delivered", "cancelled", "partiallyRefunded",
               "refunded"})
          .doc("Purchases with one of them."),
      some_of("availability", &Filters::availability,
              {"inStock", "outOfStock", "preorder", "backorder", "discontinued"})
          .doc("Products with one of them."),
      words("categories", &Filters::categories).doc("Products in one of them, or in one below it."),
      json::text("couponSet", &Filters::coupon_set).doc("Coupons: id or alias of their set."),
      json::text("state", &Filters::state)
          .options({"available", "assigned", "redeemed"})
          .doc("Coupons."),
      json::text("since", &Filters::since)
          .length_max(limits::kWatermarkBytes)
          .doc("The `watermark` of an earlier export: only what changed since. A row that is gone, "
               "or no longer fits the other filters, comes with `deleted` true. Not for coupons.")};
  for (auto& field : fields) field.restricts();  // one that is left out would let more through
  return fields;
}

const json::Table<Filters>& filters_json() {
  static const json::Table<Filters> table{"ExportFilters", "Which rows.", filter_fields()};
  return table;
}

// Only those that say something are shown.
void write_filters(json::Writer& writer, const Export& shown) {
  writer.begin_object();
  for (const auto& [name, value] : filters_json().members(shown.filters)) {
    if (value != "null" && value != "[]") writer.key(name).json(value);
  }
  writer.end();
}

Field<Export> filters() {
  return Field<Export>{
      "filters", filters_json().patch_schema(), write_filters,
      [](Reading& reading, const Value& value, const Field<Export>&) -> Field<Export>::Set {
        const auto changes = filters_json().read_patch(value, reading);
        return [changes](Export& wish) { changes.apply_to(wish.filters); };
      }}
      .restricts()
      .doc("Which rows; each type has filters of its own.")
      .example(R"({"tags":["vip"]})");
}

std::vector<Field<Export>> wished() {
  return {
      json::text("type", &Export::type).required().options(type_names()).example(R"("contacts")"),
      json::text("format", &Export::format)
          .options({"csv", "ndjson"})
          .default_value(R"("csv")")
          .example(R"("csv")"),
      json::text("compression", &Export::compression)
          .options({"none", "gzip", "zip"})
          .default_value(R"("none")")
          .restricts(),
      json::text("delimiter", &Export::delimiter)
          .options({",", ";", "\t", "|"})
          .default_value(R"(",")")
          .doc("Between the cells of a CSV file.")
          .restricts(),
      json::texts("columns", &Export::columns)
          .items_max(limits::kExportColumns)
          .element([](json::Schema& element) { element.length_min = 1; })
          .doc("By the names of the members; a contact's own fields as `fields.<id>`. None: "
               "all there are.")
          .restricts(),
      json::boolean("rawText", &Export::raw_text)
          .default_value("false")
          .doc("Leaves texts as they are that a spreadsheet would run; otherwise they are "
               "guarded by a leading apostrophe."),
      filters()};
}

const json::Table<Progress>& progress_json() {
  static const json::Table<Progress> table{
      "ExportProgress",
      "How far it is.",
      {json::integer("done", &Progress::done).doc("Rows written."),
       json::integer("total", &Progress::total)
           .doc("About so many there are, exact when it has finished; null: not known.")}};
  return table;
}

std::vector<Field<Export>> members() {
  std::vector<Field<Export>> all{json::uuid("id", &Export::id)};
  std::ranges::move(wished(), std::back_inserter(all));
  std::ranges::move(
      std::vector<Field<Export>>{
          json::text("status", &Export::status)
              .options({"queued", "inProgress", "finished", "error", "cancelled", "expired"})
              .read_only(),
          json::object("progress", &Export::progress, progress_json()).read_only(),
          json::integer("attempt", &Export::attempt)
              .doc("How often it was begun; one that is interrupted starts again.")
              .read_only(),
          json::integer("rows", &Export::rows).read_only(),
          json::integer("bytes", &Export::bytes).doc("Of the file.").read_only(),
          json::text("sha256", &Export::sha256).doc("Of the file, hexadecimal.").read_only(),
          json::text("watermark", &Export::watermark)
              .length_max(limits::kWatermarkBytes)
              .doc(
                  "The state of the store that the file shows: `since` of a later export takes it.")
              .read_only(),
          json::text("fileName", &Export::file_name).read_only(),
          json::text("fileUrl", &Export::file_url)
              .format("uri-reference")
              .length_max(2048)
              .doc("While it is finished: where to download it, for 15 minutes. Signed anew at "
                   "each GET; it ends with the key that asked.")
              .read_only(),
          json::any("error", &Export::error).doc("The problem it ended with.").read_only(),
          json::instant("createdAt", &Export::created_at).read_only(),
          json::instant("updatedAt", &Export::updated_at).read_only(),
          json::instant("startedAt", &Export::started_at).read_only(),
          json::instant("finishedAt", &Export::finished_at).read_only(),
          json::instant("expiresAt", &Export::expires_at)
              .doc("When the file goes: 7 days after it was made.")
              .read_only()},
      std::back_inserter(all));
  return all;
}

const json::Table<Export>& wish_json() {
  static const json::Table<Export> table{"ExportWish", "As it was asked for.", wished()};
  return table;
}

void check_contact(Reading& reading, const ContactName& contact) {
  const int names = int{contact.id.has_value()} + int{contact.email.has_value()} +
                    int{contact.external_id.has_value()};
  if (names == 1) return;
  const Reading::Place place{reading, "contact"};
  reading.refuse(names == 0 ? "required" : "conflicts-with",
                 "Takes one of id, email and externalId.");
}

void check_filters(Reading& reading, const Export& wish) {
  const auto known = filters_by_type().find(wish.type);
  if (known == filters_by_type().end()) return;
  const Reading::Place filters{reading, "filters"};
  for (const auto& [name, value] : filters_json().members(wish.filters)) {
    const bool named = value != "null" && value != "[]";
    const Reading::Place filter{reading, name};
    if (named && !std::ranges::contains(known->second, name))
      reading.refuse("unknown-member",
                     std::format("An export of {} has no such filter.", wish.type));
    if (!named && name == known->second.front() && !reading.refused_at("/filters/" + name))
      reading.refuse("required", "Is missing.");
  }
  if (wish.filters.contact) check_contact(reading, *wish.filters.contact);
  if (wish.filters.from && wish.filters.to && *wish.filters.from >= *wish.filters.to) {
    const Reading::Place to{reading, "to"};
    reading.refuse("conflicts-with", "Must be later than `from`.");
  }
}

Value root_of(const std::expected<json::Document, json::Malformed>& document) {
  if (!document) throw std::logic_error{"what is kept of an export is not JSON"};
  return document->root();
}

}  // namespace

const json::Table<Export>& export_json() {
  static const json::Table<Export> table{"Export", "Rows of the store as a file.", members()};
  return table;
}

void check_wish(Reading& reading, const Export& wish) { check_filters(reading, wish); }

std::string options_of(const Export& wish) { return wish_json().to_json(wish); }

std::string result_of(const Outcome& outcome, const std::string& file) {
  json::Writer writer;
  writer.begin_object();
  writer.key("rows").integer(outcome.rows);
  writer.key("bytes").integer(outcome.bytes);
  writer.key("sha256").text(outcome.sha256);
  writer.key("file").text(file);
  writer.key("moment").text(to_text(outcome.moment));
  writer.end();
  return writer.finish();
}

Export export_of(const jobs::Job& job) {
  Export made;
  json::Reading reading{json::Strictness::lenient};
  const auto options = json::Document::parse(job.options);
  wish_json().read_patch(root_of(options), reading).apply_to(made);
  made.id = job.id;
  made.status = job.state;
  made.progress = {job.done, job.total};
  made.attempt = job.attempt;
  if (job.result) {
    const auto result = json::Document::parse(*job.result);
    const Value root = root_of(result);
    made.rows = std::stoll(std::string{root.member("rows")->number_text()});
    made.bytes = std::stoll(std::string{root.member("bytes")->number_text()});
    made.sha256 = root.member("sha256")->text();
    made.file = root.member("file")->text();
    made.moment = moment_from(root.member("moment")->text());
  }
  if (job.error) made.error = json::Raw{*job.error};
  made.created_at = job.queued_at;
  made.updated_at = job.updated_at;
  made.started_at = job.started_at;
  made.finished_at = job.finished_at;
  made.expires_at = job.expires_at;
  made.file_name = file_name_of(made);
  return made;
}

std::string file_name_of(const Export& made) {
  const std::string_view packed = made.compression == "gzip"  ? ".gz"
                                  : made.compression == "zip" ? ".zip"
                                                              : "";
  return std::format("{}-{:%Y%m%d-%H%M%S}.{}{}", made.type,
                     std::chrono::floor<std::chrono::seconds>(made.created_at), made.format,
                     packed);
}

}  // namespace shopbell::exports
