#include "resources/contacts/contact_columns.h"

#include <array>

#include "base/identity.h"
#include "base/limits.h"
#include "base/text.h"
#include "resources/contacts/contact_values.h"

namespace shopbell::contacts {

namespace {

constexpr std::array kTextMembers{
    TextMember{"email", &Contact::email},
    TextMember{"email_key", &Contact::email_key},
    TextMember{"external_id", &Contact::external_id},
    TextMember{"first_name", &Contact::first_name},
    TextMember{"last_name", &Contact::last_name},
    TextMember{"company", &Contact::company},
    TextMember{"birth_date", &Contact::birth_date},
    TextMember{"phone", &Contact::phone},
    TextMember{"locale", &Contact::locale},
    TextMember{"time_zone", &Contact::time_zone},
    TextMember{"country", &Contact::country},
    TextMember{"postal_code", &Contact::postal_code},
    TextMember{"currency", &Contact::currency},
};

// Returns the search key of a name, truncated so that it fits an index.
std::optional<std::string> name_key(const std::optional<std::string>& first,
                                    const std::optional<std::string>& second) {
  std::string key = search_key(first.value_or("") + " " + second.value_or(""));
  if (key.empty()) return std::nullopt;
  return beginning_of(std::move(key), limits::kSearchKeyBytes);
}

using Column = pg::RowColumn<Contact>;

// A column that is derived from the contact and never read back.
template <class Derive>
Column derived(std::string name, std::string type, Derive derive) {
  return {std::move(name),
          std::move(type),
          [derive](const Contact& contact) { return pg::parameter(derive(contact)); },
          {}};
}

std::optional<std::string> first_name_key(const Contact& contact) {
  return name_key(contact.first_name, contact.last_name);
}
std::optional<std::string> surname_key(const Contact& contact) {
  return contact.last_name ? name_key(contact.last_name, contact.first_name) : std::nullopt;
}
bool has_consent(const Contact& contact) { return !contact.consent.empty(); }

Column fields_column() {
  return {"fields", "jsonb",
          [](const Contact& contact) { return pg::parameter(values_to_json(contact)); },
          [](const pg::Row& row, Contact& contact) {
            contact.values = values_from_json(row.view("fields"));
          }};
}

Column purchases_column() {
  return {"purchases", "jsonb",
          [](const Contact& contact) { return pg::parameter(totals_to_json(contact.purchases)); },
          [](const pg::Row& row, Contact& contact) {
            contact.purchases = totals_from_json(row.view("purchases"));
          }};
}

std::vector<Column> columns() {
  using pg::column;
  std::vector<Column> all{column("lane", &Contact::lane)};
  for (const auto& [name, member] : kTextMembers) all.push_back(column(name, member));
  const auto add = [&](auto... more) { (all.push_back(std::move(more)), ...); };
  add(derived("name_key", "text", first_name_key), derived("surname_key", "text", surname_key),
      column("tags", &Contact::tags), column("points", &Contact::points), fields_column(),
      column("email_subscription", &Contact::email_subscription),
      column("email_subscription_at", &Contact::email_subscription_at),
      column("sms_subscription", &Contact::sms_subscription),
      column("sms_subscription_at", &Contact::sms_subscription_at),
      column("email_status", &Contact::email_status),
      column("phone_status", &Contact::phone_status),
      derived("has_consent", "boolean", has_consent),
      column("source_updated_at", &Contact::source_updated_at),
      column("event_seq", &Contact::event_seq), column("created_at", &Contact::created_at),
      column("updated_at", &Contact::updated_at), purchases_column());
  return all;
}

}  // namespace

const pg::RowTable<Contact>& contact_row() {
  static const pg::RowTable<Contact> table{4, columns()};
  return table;
}

std::span<const TextMember> text_members() { return kTextMembers; }

}  // namespace shopbell::contacts
