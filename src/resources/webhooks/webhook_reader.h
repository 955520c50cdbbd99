// The webhooks' reader of the event log. For every event it creates a delivery for each endpoint
// that subscribes to the event's kind.
#pragma once

#include <functional>

#include "event_log/reader.h"

namespace shopbell::webhooks {

event_log::Reader webhook_reader(std::function<void()> committed);

}  // namespace shopbell::webhooks
