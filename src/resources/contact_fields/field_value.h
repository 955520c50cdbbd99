// Validates and normalizes values of contact fields by the field's type: default values, and all
// values of contacts.
#pragma once

#include <optional>

#include "json/reading.h"
#include "resources/contact_fields/contact_field.h"

namespace shopbell::contact_fields {

// Returns the normalized value, as it is stored and shown. For an invalid value it returns nullopt
// and adds a fault to the reading.
std::optional<json::Raw> read_value(json::Reading& reading, const ContactField& field,
                                    const json::Value& value);

// True if a ≤ b. Both must be values of an ordered type.
bool in_order(const ContactField& field, const json::Raw& a, const json::Raw& b);

// Validates and normalizes the members of a field that depend on its type, such as bounds and
// default value. A lenient reading drops invalid members with a warning.
void settle(json::Reading& reading, ContactField& field);

// Refuses a change that could make stored values invalid. The name may change, bounds may get
// wider, options may be added.
void check_change(json::Reading& reading, const ContactField& before, const ContactField& after);

}  // namespace shopbell::contact_fields
