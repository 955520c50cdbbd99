#include "resources/exports/export_filters.h"

#include <algorithm>
#include <format>
#include <map>

#include "base/identity.h"
#include "base/limits.h"
#include "base/text.h"
#include "events/event_kinds.h"
#include "resources/exports/columns.h"
#include "resources/exports/report.h"

namespace shopbell::exports {

namespace {

using json::Field;
using json::Reading;
using json::Value;

const std::vector<std::string> kSubscriptions{"subscribed", "unsubscribed", "pending", "none"};

// True for a column that identifies the buyer of a purchase.
bool is_of_buyer(std::string_view column) { return column.starts_with(kContact); }

struct Type {
  std::vector<std::string> filters;
  std::string needed;               // the required filter, or empty
  std::vector<std::string> scopes;  // needed to read its rows; read_scopes() adds others
};

const std::map<std::string, Type>& known_types() {
  static const std::map<std::string, Type> types{
      {"contacts",
       {{"updatedAfter", "emailSubscription", "smsSubscription", "tags", "since"},
        "",
        {"contacts:read"}}},
      {"products",
       {{"updatedAfter", "availability", "categories", "since"}, "", {"products:read"}}},
      {"purchases", {{"from", "to", "status", "contact", "since"}, "", {"purchases:read"}}},
      {"coupons", {{"couponSet", "state"}, "couponSet", {"coupon-sets:read"}}},
      {"activities", {{"from", "to", "kinds", "contact", "since"}, "", {"contacts:read"}}},
      {kPerson, {{"contact"}, "contact", {"contacts:read", "purchases:read", "coupon-sets:read"}}}};
  return types;
}

const json::Table<ContactName>& contact_name_json() {
  static const json::Table<ContactName> table{
      "ContactName",
      "A contact, by one of its identifiers.",
      {json::text("id", &ContactName::id)
           .format("uuid")
           .rule([](std::string_view text) { return Uuid::parse(text).has_value(); },
                 "Is not a UUID."),
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
      json::instant("updatedAfter", &Filters::updated_after).doc("For contacts and products."),
      json::text("emailSubscription", &Filters::email_subscription)
          .options(kSubscriptions)
          .doc("For contacts."),
      json::text("smsSubscription", &Filters::sms_subscription)
          .options(kSubscriptions)
          .doc("For contacts."),
      words("tags", &Filters::tags).doc("For contacts: those with all of these tags."),
      json::instant("from", &Filters::from).doc("For purchases and activities: the earliest time."),
      json::instant("to", &Filters::to).doc("For purchases and activities: the end, exclusive."),
      words("kinds", &Filters::kinds)
          .doc("For activities and reports of events: kinds such as `contact.created`."),
      contact(),
      some_of("status", &Filters::status,
              {"placed", "paid", "fulfilled", "delivered", "cancelled", "partiallyRefunded",
               "refunded"})
          .doc("For purchases: those with one of these statuses."),
      words("currencies", &Filters::currencies)
          .rule(is_currency, "Is not an ISO 4217 currency such as EUR.")
          .doc("For reports of purchases: only these currencies."),
      words("productIds", &Filters::product_ids)
          .doc("For the report `products-sold`: the store's own product ids."),
      some_of("availability", &Filters::availability,
              {"inStock", "outOfStock", "preorder", "backorder", "discontinued"})
          .doc("For products: those with one of these values."),
      words("categories", &Filters::categories)
          .doc("For products: those in one of these categories or a subcategory."),
      json::text("couponSet", &Filters::coupon_set)
          .doc("For coupons, required, and for the report `coupon-usage`: id or alias of the "
               "coupon set."),
      json::text("state", &Filters::state)
          .options({"available", "assigned", "redeemed"})
          .doc("For coupons."),
      json::text("since", &Filters::since)
          .length_max(limits::kWatermarkBytes)
          .doc("The `watermark` of an earlier export: only rows that changed since. A row that was "
               "deleted, or no longer matches the other filters, has `deleted` true. Not for "
               "coupons, persons and reports.")};
  for (auto& field : fields)
    field.restricts();  // refuse an invalid filter: skipping it would export more rows
  return fields;
}

const json::Table<Filters>& filters_json() {
  static const json::Table<Filters> table{"ExportFilters", "Select rows.", filter_fields()};
  return table;
}

// Writes only the filters that are set.
void write_filters(json::Writer& writer, const Export& shown) {
  writer.begin_object();
  for (const auto& [name, value] : filters_json().members(shown.filters)) {
    if (value != "null" && value != "[]") writer.key(name).json(value);
  }
  writer.end();
}

// The filters that the requested type or report supports; empty if the type is unknown.
struct Known {
  std::vector<std::string> filters;
  std::string needed;
  std::string of;  // type or report, as named in error texts
};
std::optional<Known> known_filters(const Export& request) {
  if (request.is_report()) {
    const ReportKind* kind = find_report(request.report);
    if (kind == nullptr) return std::nullopt;
    return Known{.filters = kind->filters, .needed = "", .of = "The report " + kind->name};
  }
  const auto found = known_types().find(request.type);
  if (found == known_types().end()) return std::nullopt;
  return Known{.filters = found->second.filters,
               .needed = found->second.needed,
               .of = "An export of " + request.type};
}

void check_contact(Reading& reading, const ContactName& contact) {
  const int names = int{contact.id.has_value()} + int{contact.email.has_value()} +
                    int{contact.external_id.has_value()};
  if (names == 1) return;
  const Reading::Place place{reading, "contact"};
  reading.refuse(names == 0 ? "required" : "conflicts-with",
                 "Must have exactly one of id, email and externalId.");
}

}  // namespace

std::vector<std::string> creatable_types() {
  std::vector<std::string> names;
  for (const auto& [name, type] : known_types()) names.push_back(name);
  return names;
}

std::vector<std::string> all_types() {
  std::vector<std::string> names = creatable_types();
  names.emplace_back(kReports);
  return names;
}

std::vector<std::string> read_scopes(const Export& made) {
  const auto type = known_types().find(made.type);
  const ReportKind* report = find_report(made.report);
  if (made.is_report() && report != nullptr) return report->scopes;
  // A newer process may know further types: they need every scope.
  if (type == known_types().end()) return events::read_scopes({});
  std::vector<std::string> scopes = type->second.scopes;
  // Without `columns`, an export of purchases has the identifiers of the buyers, too.
  const bool has_buyers = made.columns.empty() || std::ranges::any_of(made.columns, is_of_buyer);
  if (made.type == "purchases" && has_buyers) scopes.emplace_back("contacts:read");
  if (made.type == "activities") {
    for (auto& scope : events::read_scopes(made.filters.kinds))
      if (!std::ranges::contains(scopes, scope)) scopes.push_back(std::move(scope));
  }
  return scopes;
}

Field<Export> filters_field() {
  return Field<Export>{
      "filters", filters_json().patch_schema(), write_filters,
      [](Reading& reading, const Value& value, const Field<Export>&) -> Field<Export>::Set {
        const auto changes = filters_json().read_patch(value, reading);
        return [changes](Export& request) { changes.apply_to(request.filters); };
      }}
      .restricts()
      .doc("Select rows. Each type and each report has its own filters.");
}

void check_filters(Reading& reading, const Export& request) {
  const auto known = known_filters(request);
  if (!known) return;
  const Reading::Place filters{reading, "filters"};
  for (const auto& [name, value] : filters_json().members(request.filters)) {
    const bool named = value != "null" && value != "[]";
    const Reading::Place filter{reading, name};
    if (named && !std::ranges::contains(known->filters, name))
      reading.refuse("unknown-member", std::format("{} has no such filter.", known->of));
    if (!named && name == known->needed && !reading.refused_at("/filters/" + name))
      reading.refuse("required", "Is missing.");
  }
  if (request.filters.contact) check_contact(reading, *request.filters.contact);
  if (request.filters.from && request.filters.to && *request.filters.from >= *request.filters.to) {
    const Reading::Place to{reading, "to"};
    reading.refuse("conflicts-with", "Must be later than `from`.");
  }
}

}  // namespace shopbell::exports
