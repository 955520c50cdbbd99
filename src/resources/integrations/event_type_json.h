// Event types as JSON.
#pragma once

#include "json/fields.h"
#include "resources/integrations/event_type.h"

namespace shopbell::integrations {

const json::Table<EventType>& event_type_json();
// JSON of an event type with its signing secret, which is shown only when it is generated.
const json::Table<EventType>& created_event_type_json();

}  // namespace shopbell::integrations
