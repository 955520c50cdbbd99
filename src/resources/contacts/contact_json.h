// The contact's wire names.
#pragma once

#include "json/fields.h"
#include "resources/contacts/contact.h"

namespace shopbell::contacts {

const json::Table<Contact>& contact_json();

// The history as the database gives it: a list of entries in the wire's own form, newest first.
std::vector<Consent> consent_from_json(std::string_view text);

}  // namespace shopbell::contacts
