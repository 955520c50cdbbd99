#include "resources/contact_fields/contact_field.h"

#include <algorithm>
#include <array>
#include <ranges>

namespace shopbell::contact_fields {

namespace {

struct BuiltIn {
  std::string_view id;
  std::string_view name;
  std::string_view type;
  std::int64_t max_length = 0;
  std::vector<Option> options = {};
};

const std::vector<Option>& subscriptions() {
  static const std::vector<Option> options{{"subscribed", "Subscribed"},
                                           {"unsubscribed", "Unsubscribed"},
                                           {"pending", "Waiting for confirmation"},
                                           {"none", "Never asked"}};
  return options;
}

const std::vector<Option>& statuses() {
  static const std::vector<Option> options{{"active", "Active"},
                                           {"paused", "Paused"},
                                           {"bounced", "Bounced"},
                                           {"complained", "Complained"}};
  return options;
}

std::vector<ContactField> make_built_ins() {
  const std::vector<BuiltIn> table{
      {"email", "E-mail", "email"},
      {"externalId", "External id", "text", 256},
      {"firstName", "First name", "text", 255},
      {"lastName", "Last name", "text", 255},
      {"company", "Company", "text", 255},
      {"birthDate", "Date of birth", "date"},
      {"phone", "Phone", "phone"},
      {"locale", "Language", "text", 35},
      {"timeZone", "Time zone", "text", 64},
      {"country", "Country", "text", 2},
      {"postalCode", "Postal code", "text", 255},
      {"currency", "Currency", "text", 3},
      {"tags", "Tags", "choices"},
      {"points", "Points", "integer"},
      {"emailSubscription", "E-mail subscription", "choice", 0, subscriptions()},
      {"smsSubscription", "SMS subscription", "choice", 0, subscriptions()},
      {"emailStatus", "E-mail status", "choice", 0, statuses()},
      {"phoneStatus", "Phone status", "choice", 0, statuses()},
  };
  std::vector<ContactField> fields;
  for (const auto& [id, name, type, max_length, options] : table) {
    ContactField& field = fields.emplace_back();
    field.id = id;
    field.name = name;
    field.type = type;
    field.options = options;
    field.built_in = true;
    if (max_length > 0) field.max_length = max_length;
    field.number =
        static_cast<std::int64_t>(fields.size()) - static_cast<std::int64_t>(table.size()) - 1;
  }
  return fields;
}

const std::vector<ContactField>& built_ins() {
  static const std::vector<ContactField> fields = make_built_ins();
  return fields;
}

}  // namespace

std::size_t bytes_of(const ContactField& field) {
  std::size_t bytes = sizeof(ContactField) + field.id.size() + field.name.size() +
                      field.type.size() + field.options.size() * sizeof(Option);
  for (const auto& option : field.options) bytes += option.id.size() + option.label.size();
  for (const auto* value : {&field.default_value, &field.min, &field.max})
    if (*value) bytes += (*value)->json.size();
  return bytes;
}

const std::vector<std::string>& field_types() {
  static const std::vector<std::string> types{"text",    "email",    "phone",   "url",
                                              "date",    "dateTime", "boolean", "integer",
                                              "decimal", "choice",   "choices"};
  return types;
}

bool is_choice(std::string_view type) { return type == "choice" || type == "choices"; }

bool is_ordered(std::string_view type) {
  constexpr std::array<std::string_view, 4> kOrdered{"integer", "decimal", "date", "dateTime"};
  return std::ranges::contains(kOrdered, type);
}

std::vector<ContactField> built_in_fields(Instant created_at) {
  std::vector<ContactField> fields = built_ins();
  for (auto& field : fields) field.created_at = field.updated_at = created_at;
  return fields;
}

std::string column_of(const ContactField& built_in) {
  std::string column;
  for (const char c : built_in.id) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper) column += '_';
    column += upper ? static_cast<char>(c + ('a' - 'A')) : c;
  }
  return column;
}

const ContactField* find_built_in(std::string_view id) {
  const auto found = std::ranges::find(built_ins(), id, &ContactField::id);
  return found == built_ins().end() ? nullptr : &*found;
}

bool is_field_id(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !text.empty() && text.size() <= 64 && text[0] >= 'a' && text[0] <= 'z' &&
         std::ranges::all_of(
             text, [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_'; });
}

bool is_reserved(std::string_view id) {
  constexpr std::array<std::string_view, 10> kMembers{
      "id",        "fields",    "consent",   "purchases",       "delivery",
      "createdAt", "updatedAt", "contactId", "sourceUpdatedAt", "warnings"};
  return find_built_in(id) != nullptr || std::ranges::contains(kMembers, id);
}

}  // namespace shopbell::contact_fields
