// The columns of the table `contact`, each listed once.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "pg/row_table.h"
#include "resources/contacts/contact.h"

namespace shopbell::contacts {

// All but the account, the id and the version, which are the first three parameters of every
// statement that writes a contact.
const pg::RowTable<Contact>& contact_row();

// The text members. A merge fills those that are empty from the other contact.
struct TextMember {
  const char* column;
  std::optional<std::string> Contact::* member;
};
std::span<const TextMember> text_members();

}  // namespace shopbell::contacts
