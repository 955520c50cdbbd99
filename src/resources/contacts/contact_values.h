// The values a contact has for the store's own fields.
#pragma once

#include "json/reading.h"
#include "resources/contact_fields/field_set.h"
#include "resources/contacts/contact.h"

namespace shopbell::contacts {

// Judges what was sent and merges it into the values: null clears, what is not named stays.
void settle_fields(json::Reading& reading, const contact_fields::FieldSet& fields,
                   Contact& contact);

// What a new contact has before anything is known of it.
void fill_defaults(const contact_fields::FieldSet& fields, Contact& contact);

// The values by the ids of their fields, for the answer.
void show_fields(const contact_fields::FieldSet& fields, Contact& contact);

// Between the database's form, an object by field numbers, and the contact's.
std::string values_to_json(const Contact& contact);
std::map<std::int64_t, json::Raw> values_from_json(std::string_view text);

}  // namespace shopbell::contacts
