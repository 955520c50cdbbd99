// The columns of the table `contact`, each listed once.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "pg/row_table.h"
#include "resources/contacts/contact.h"

namespace shopbell::contacts {

// All columns except account, id and version. These three are the first parameters of every
// statement that writes a contact.
const pg::RowTable<Contact>& contact_row();

// The optional text members of a contact. A merge fills empty ones from the other contact.
struct TextMember {
  const char* column;
  std::optional<std::string> Contact::* member;
};
std::span<const TextMember> text_members();

}  // namespace shopbell::contacts
