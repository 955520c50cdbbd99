// Reads and writes a contact's values of the store's own fields.
#pragma once

#include "json/reading.h"
#include "resources/contact_fields/field_set.h"
#include "resources/contacts/contact.h"

namespace shopbell::contacts {

// Validates the sent values and merges them in: null clears a value, absent fields keep theirs.
void settle_fields(json::Reading& reading, const contact_fields::FieldSet& fields,
                   Contact& contact);

// Gives a new contact the default values of the fields.
void fill_defaults(const contact_fields::FieldSet& fields, Contact& contact);

// Sets `shown_fields`: the values by field id, for the API response.
void show_fields(const contact_fields::FieldSet& fields, Contact& contact);

// Converts the values to and from their database form: an object by field number.
std::string values_to_json(const Contact& contact);
std::map<std::int64_t, json::Raw> values_from_json(std::string_view text);

}  // namespace shopbell::contacts
