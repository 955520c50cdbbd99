#include "resources/contacts/lane_contacts.h"

#include "pg/columns.h"
#include "resources/contacts/contact_columns.h"
#include "resources/contacts/contact_json.h"
#include "resources/contacts/contact_values.h"
#include "resources/contacts/queries.h"

namespace shopbell::contacts {

namespace {

Contact lane_contact_of(const pg::Row& row) {
  Contact contact;
  contact.id = row.uuid("contact_id");
  contact.version = row.integer("version");
  contact_row().read(row, contact);
  return contact;
}

pg::Columns columns_of(std::span<const AccountContact> keys) {
  pg::Columns columns;
  for (const auto& [account, contact] : keys) columns.add(account, contact);
  return columns;
}

}  // namespace

void read_lane_contacts(pg::Group& reads, std::span<const AccountContact> keys) {
  columns_of(keys).add_to(reads, sql::find_contacts_of_accounts);
}

std::vector<LaneContact> found_lane_contacts(const pg::Result& result) {
  return result.map([](const pg::Row& row) {
    LaneContact found{.key = {row.integer("of_account"), row.uuid("of_contact")},
                      .contact = {},
                      .merged_into = {}};
    if (row.find("contact_id")) {
      found.contact = lane_contact_of(row);
    } else if (row.find("merged_into")) {
      found.merged_into = row.uuid("merged_into");
    }
    return found;
  });
}

void lock_lane_contacts(pg::Group& locks, std::span<const AccountContact> keys) {
  columns_of(keys).add_to(locks, sql::lock_contacts_of_accounts);
}

std::vector<std::pair<AccountContact, Contact>> locked_lane_contacts(const pg::Result& result) {
  return result.map([](const pg::Row& row) {
    return std::pair{AccountContact{row.integer("account_id"), row.uuid("contact_id")},
                     lane_contact_of(row)};
  });
}

engine::Data shown_contact(Contact contact, const contact_fields::FieldSet& fields) {
  show_fields(fields, contact);
  return engine::Data{contact_json().to_json(contact)};
}

}  // namespace shopbell::contacts
