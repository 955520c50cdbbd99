// The reader of the log that webhooks live on: of every event it makes a delivery for each endpoint
// that wants to hear of it.
#pragma once

#include <functional>

#include "event_log/reader.h"

namespace shopbell::webhooks {

event_log::Reader webhook_reader(std::function<void()> committed);

}  // namespace shopbell::webhooks
