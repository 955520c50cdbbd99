// Field values: what a contact field's type makes of a value. The one reading of them: of a default
// value here, of a contact's own values wherever they come in.
#pragma once

#include <optional>

#include "json/reading.h"
#include "resources/contact_fields/contact_field.h"

namespace shopbell::contact_fields {

// The value in the form in which it is kept and answered; nothing when the field does not take it,
// and then the reading knows why.
std::optional<json::Raw> read_value(json::Reading& reading, const ContactField& field,
                                    const json::Value& value);

// Whether a ≤ b, of two values of an ordered type.
bool in_order(const ContactField& field, const json::Raw& a, const json::Raw& b);

// Everything about a field that depends on its type: which members it takes, its bounds, its
// default value. Brings the values into their form; leniently, what does not fit is left out.
void settle(json::Reading& reading, ContactField& field);

// What may change of a field that has values: its name, wider bounds, more options.
void check_change(json::Reading& reading, const ContactField& before, const ContactField& after);

}  // namespace shopbell::contact_fields
