// EventField: one member of the payload of an event type. Its values are checked like those of a
// contact field. In addition to the types of contact fields it can be an object with its own
// fields, a list, or the lines of a purchase.
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
  std::string id;    // name of the payload's member
  std::string name;  // display name
  std::string type;
  bool required = false;
  std::vector<contact_fields::Option> options;
  std::optional<std::int64_t> max_length;
  std::optional<json::Raw> min;
  std::optional<json::Raw> max;
  std::vector<EventField> fields;  // fields of an object
  std::vector<EventField> items;   // type of a list's elements: one field without id and name
};

const std::vector<std::string>& event_field_types();

// Returns a contact field with the same type and bounds, which checks the values.
contact_fields::ContactField value_rule(const EventField& field);

// Checks the members that depend on the type of the field; normalizes its bounds.
void settle(json::Reading& reading, EventField& field);
// Refuses duplicate ids among the fields.
void check_ids(json::Reading& reading, const std::vector<EventField>& fields);
// Limits the number of fields at all levels, and the depth of nesting.
void check_size(json::Reading& reading, const std::vector<EventField>& fields);

// Refuses changes that could make existing events invalid. Allowed are further optional fields,
// further options, other names and wider bounds.
void check_change(json::Reading& reading, const std::vector<EventField>& before,
                  const std::vector<EventField>& after);

}  // namespace shopbell::integrations
