// The fields of an event type as JSON; fields can be nested.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/fields.h"
#include "resources/integrations/event_field.h"

namespace shopbell::integrations {

// JSON of a list of fields: of an event type, or of a field of type object.
json::Schema shown_fields_schema();
json::Schema sent_fields_schema();
void write_fields(json::Writer& writer, const std::vector<EventField>& fields);
// Returns nullopt if a field is invalid; the reading then has the faults.
std::optional<std::vector<EventField>> read_fields(json::Reading& reading,
                                                   const json::Value& value);

std::string fields_to_json(const std::vector<EventField>& fields);
std::vector<EventField> fields_from_json(std::string_view text);

}  // namespace shopbell::integrations
