// The Kafka message of an event, for the company's other systems: one JSON object, described in
// docs/api/stream.json.
#pragma once

#include <string>

#include "event_log/reader.h"

namespace shopbell::stream {

std::string message_of(const event_log::Entry& entry);

}  // namespace shopbell::stream
