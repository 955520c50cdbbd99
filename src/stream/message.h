// What is told of an event to the company's other systems: one JSON object, as docs/api/stream.json
// describes it.
#pragma once

#include <string>

#include "event_log/reader.h"

namespace shopbell::stream {

std::string message_of(const event_log::Entry& entry);

}  // namespace shopbell::stream
