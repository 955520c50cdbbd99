// Body: parses the body of a request as JSON. Checks media type and coding (415), size (413) and
// syntax (400).
#pragma once

#include "http/wire/message.h"
#include "json/document.h"
#include "operations/operation.h"

namespace shopbell::http {

// Parses the required JSON body. Returns nullopt for a body of JSON lines, if the operation accepts
// them. `plain` gets the decompressed bytes of a compressed body. Throws a Problem if the body is
// invalid.
std::optional<json::Document> read_body(const Request& request, const operations::Body& expected,
                                        std::string& plain);

// Checks media type and coding of an upload before it is read. Throws a Problem if they are not
// supported.
void check_upload(const Request& request, const operations::UploadBody& expected);

// The media type of the body, in lower case and without parameters.
std::string media_type(const Request& request);

// Tells whether the body has one JSON object per line.
bool has_lines(const Request& request);

// `Prefer: handling=lenient` (RFC 7240).
bool prefers_leniency(const Request& request);
// `Prefer: respond-async`.
bool prefers_async(const Request& request);

}  // namespace shopbell::http
