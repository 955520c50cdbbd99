// JSON of a contact.
#pragma once

#include "json/fields.h"
#include "resources/contacts/contact.h"

namespace shopbell::contacts {

const json::Table<Contact>& contact_json();

// Parses the history from the database: a list of entries in their API form, newest first.
std::vector<Consent> consent_from_json(std::string_view text);

}  // namespace shopbell::contacts
