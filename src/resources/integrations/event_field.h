// EventField: one member of the payload of an event type. What it takes is judged as a contact
// field's value is; beyond those types it may be an object with fields of its own, a list, or the
// lines of a purchase.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/reading.h"
#include "resources/contact_fields/contact_field.h"

namespace shopbell::integrations {

struct EventField {
  std::string id;    // the member's name
  std::string name;  // for people
  std::string type;
  bool required = false;
  std::vector<contact_fields::Option> options;
  std::optional<std::int64_t> max_length;
  std::optional<json::Raw> min;
  std::optional<json::Raw> max;
  std::vector<EventField> fields;  // of an object
  std::vector<EventField> items;   // of a list: one, without id and name, that each element is
};

const std::vector<std::string>& event_field_types();

// The field as far as contact fields have the like of it: what its values are judged by.
contact_fields::ContactField value_rule(const EventField& field);

// Everything about a field that depends on its type; brings its bounds into their form.
void settle(json::Reading& reading, EventField& field);
// No id twice.
void check_ids(json::Reading& reading, const std::vector<EventField>& fields);
// All fields of a type together: not too many, and not too deep in each other.
void check_size(json::Reading& reading, const std::vector<EventField>& fields);

// What may change once events may have come: further optional fields, further options, names, wider
// bounds.
void check_change(json::Reading& reading, const std::vector<EventField>& before,
                  const std::vector<EventField>& after);

}  // namespace shopbell::integrations
