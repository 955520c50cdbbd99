// The wire names of an event type's fields, which hold each other to a depth.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/fields.h"
#include "resources/integrations/event_field.h"

namespace shopbell::integrations {

// A list of fields as it stands in a type and in an object among them.
json::Schema shown_fields_schema();
json::Schema sent_fields_schema();
void write_fields(json::Writer& writer, const std::vector<EventField>& fields);
// Nothing when something is wrong with them, and then the reading knows what.
std::optional<std::vector<EventField>> read_fields(json::Reading& reading,
                                                   const json::Value& value);

std::string fields_to_json(const std::vector<EventField>& fields);
std::vector<EventField> fields_from_json(std::string_view text);

}  // namespace shopbell::integrations
