// The event type's wire names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/fields.h"
#include "resources/integrations/event_type.h"

namespace shopbell::integrations {

const json::Table<EventType>& event_type_json();
// With the signing secret, which is shown when it is made and never again.
const json::Table<EventType>& created_event_type_json();

// As they are kept: names, and sealed values.
std::string headers_to_json(const std::vector<Header>& headers);
std::vector<Header> headers_from_json(std::string_view text);

}  // namespace shopbell::integrations
