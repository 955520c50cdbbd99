// Body: from the bytes of a request to JSON: media type and coding (415), size (413), form (400).
#pragma once

#include "http/message.h"
#include "json/document.h"

namespace shopbell::http {

// The JSON of a request that must have one; `plain` gets its bytes when they came compressed.
// Throws the Problem that refuses the body.
json::Document read_body(const Request& request, std::string& plain);

// `Prefer: handling=lenient` (RFC 7240).
bool prefers_leniency(const Request& request);

}  // namespace shopbell::http
