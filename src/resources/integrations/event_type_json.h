// The event type's wire names.
#pragma once

#include "json/fields.h"
#include "resources/integrations/event_type.h"

namespace shopbell::integrations {

const json::Table<EventType>& event_type_json();
// With the signing secret, which is shown when it is made and never again.
const json::Table<EventType>& created_event_type_json();

}  // namespace shopbell::integrations
