// The reader of the log that webhooks live on: of every event it makes a delivery for each endpoint
// that wants to hear of it.
#pragma once

#include <functional>

#include "log/reader.h"

namespace shopbell::webhooks {

log::Reader webhook_reader(std::function<void()> committed);

}  // namespace shopbell::webhooks
