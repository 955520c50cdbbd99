// Body: parses the body of a request as JSON. Checks media type and coding (415), size (413) and
// syntax (400).
#pragma once

#include "http/wire/message.h"
#include "json/document.h"
#include "operations/operation.h"

namespace shopbell::http {

// Checks media type and coding of a JSON body before it is read. Throws a Problem if they are not
// supported, or if the body's declared length is too large.
void check_body(const Request& request, const operations::Body& expected);

// Parses the required JSON body, after check_body(). Returns nullopt for a body of JSON lines, if
// the operation accepts them. `plain` gets the decompressed bytes of a compressed body. Throws a
// Problem if the body is invalid.
std::optional<json::Document> read_body(const Request& request, const operations::Body& expected,
                                        std::string& plain);

// True if a request may have no body: nothing in it is required. Only a POST, whose parts are
// settings of an action.
bool may_lack_body(const operations::Operation& operation);

// The maximum size of the body, which depends on its media type.
std::size_t body_limit(const Request& request, const operations::Body& expected);
Problem body_too_large(std::size_t bytes_max);

// Checks media type and coding of an upload before it is read. Throws a Problem if they are not
// supported.
void check_upload(const Request& request, const operations::UploadBody& expected);

// The media type of the body, in lower case and without parameters.
std::string media_type(const Request& request);

// Tells whether the body has one JSON object per line.
bool has_lines(const Request& request);

// True if the request has `Prefer: handling=lenient` (RFC 7240).
bool prefers_leniency(const Request& request);
// True if the request has `Prefer: respond-async`.
bool prefers_async(const Request& request);

}  // namespace shopbell::http
