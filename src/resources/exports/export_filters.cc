#include "resources/exports/export_filters.h"

#include <algorithm>
#include <format>
#include <map>

#include "base/identity.h"
#include "base/limits.h"
#include "base/text.h"
#include "resources/exports/report.h"

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
      {"activities", {"", "from", "to", "kinds", "contact", "since"}},
      {kPerson, {"contact", "contact"}}};
  return types;
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
      words("kinds", &Filters::kinds).doc("Activities and events, such as `contact.created`."),
      contact(),
      some_of("status", &Filters::status,
              {"placed", "paid", "fulfilled", "delivered", "cancelled", "partiallyRefunded",
               "refunded"})
          .doc("Purchases with one of them."),
      words("currencies", &Filters::currencies)
          .rule(is_currency, "Is not an ISO 4217 currency such as EUR.")
          .doc("Reports of purchases: in one of them."),
      words("productIds", &Filters::product_ids)
          .doc("The report of products: the store's own ids."),
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
               "or no longer fits the other filters, comes with `deleted` true. Not for coupons, "
               "persons and reports.")};
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

// Those of what is asked for; none when its type or report is not known.
struct Known {
  std::vector<std::string> filters;
  std::string needed;
  std::string of;  // for people
};
std::optional<Known> known_filters(const Export& wish) {
  if (wish.is_report()) {
    const ReportKind* kind = find_report(wish.report);
    if (kind == nullptr) return std::nullopt;
    return Known{.filters = kind->filters, .needed = "", .of = "The report " + kind->name};
  }
  const auto found = filters_by_type().find(wish.type);
  if (found == filters_by_type().end()) return std::nullopt;
  return Known{
      .filters = found->second, .needed = found->second.front(), .of = "An export of " + wish.type};
}

void check_contact(Reading& reading, const ContactName& contact) {
  const int names = int{contact.id.has_value()} + int{contact.email.has_value()} +
                    int{contact.external_id.has_value()};
  if (names == 1) return;
  const Reading::Place place{reading, "contact"};
  reading.refuse(names == 0 ? "required" : "conflicts-with",
                 "Takes one of id, email and externalId.");
}

}  // namespace

std::vector<std::string> asked_types() {
  std::vector<std::string> names;
  for (const auto& [name, filters] : filters_by_type()) names.push_back(name);
  return names;
}

std::vector<std::string> all_types() {
  std::vector<std::string> names = asked_types();
  names.emplace_back(kReports);
  return names;
}

Field<Export> filters_field() {
  return Field<Export>{
      "filters", filters_json().patch_schema(), write_filters,
      [](Reading& reading, const Value& value, const Field<Export>&) -> Field<Export>::Set {
        const auto changes = filters_json().read_patch(value, reading);
        return [changes](Export& wish) { changes.apply_to(wish.filters); };
      }}
      .restricts()
      .doc("Which rows; each type and each report has filters of its own.");
}

void check_filters(Reading& reading, const Export& wish) {
  const auto known = known_filters(wish);
  if (!known) return;
  const Reading::Place filters{reading, "filters"};
  for (const auto& [name, value] : filters_json().members(wish.filters)) {
    const bool named = value != "null" && value != "[]";
    const Reading::Place filter{reading, name};
    if (named && !std::ranges::contains(known->filters, name))
      reading.refuse("unknown-member", std::format("{} has no such filter.", known->of));
    if (!named && name == known->needed && !reading.refused_at("/filters/" + name))
      reading.refuse("required", "Is missing.");
  }
  if (wish.filters.contact) check_contact(reading, *wish.filters.contact);
  if (wish.filters.from && wish.filters.to && *wish.filters.from >= *wish.filters.to) {
    const Reading::Place to{reading, "to"};
    reading.refuse("conflicts-with", "Must be later than `from`.");
  }
}

}  // namespace shopbell::exports
