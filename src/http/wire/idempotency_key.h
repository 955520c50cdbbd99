// The Idempotency-Key header.
#pragma once

#include <optional>
#include <string>

#include "http/wire/message.h"

namespace shopbell::http {

// Returns the key without quotes, or nullopt if the header is missing. Throws
// idempotency-key-invalid.
std::optional<std::string> idempotency_key(const Request& request);

}  // namespace shopbell::http
