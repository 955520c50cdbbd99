// The webhooks' reader of the event log. For every event it creates a delivery for each endpoint
// that subscribes to the event's kind. For what a workflow sends (`send-webhook`, with the event
// type as its subject) it creates one for the endpoint of that event type.
#pragma once

#include <functional>

#include "event_log/reader.h"

namespace shopbell::webhooks {

event_log::Reader webhook_reader(std::function<void()> committed);

}  // namespace shopbell::webhooks
