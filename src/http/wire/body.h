// Body: from the bytes of a request to JSON: media type and coding (415), size (413), form (400).
#pragma once

#include "http/route.h"
#include "http/wire/message.h"
#include "json/document.h"

namespace shopbell::http {

// The JSON of a request that must have one; nothing when it has many, one a line, where that is
// expected. `plain` gets its bytes when they came compressed.
// Throws the Problem that refuses the body.
std::optional<json::Document> read_body(const Request& request, const Body& expected,
                                        std::string& plain);

// Of a body that is yet to be read. Throws the Problem that refuses its media type or its coding.
void check_upload(const Request& request, const UploadBody& expected);

// The media type of the body, in small letters and without its parameters.
std::string media_type(const Request& request);

// Whether the body is many, one a line.
bool has_lines(const Request& request);

// `Prefer: handling=lenient` (RFC 7240).
bool prefers_leniency(const Request& request);
// `Prefer: respond-async`.
bool prefers_async(const Request& request);

}  // namespace shopbell::http
