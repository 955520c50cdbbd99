// Conditions: ETags, and the requests that depend on them (RFC 9110, 13).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/call.h"
#include "json/schema.h"

namespace shopbell::http {

// The tag of a row's version as the schema shows it: another version, another row under the same
// id, or another shape of the answer has another tag.
std::string version_tag(Instant created_at, std::int64_t version, std::string_view shape);
std::string shape_of(const json::Schema& schema);

// The tag of the same object in a content coding: "…-gzip".
std::string coded_tag(std::string_view tag, std::string_view coding);

// Whether If-None-Match of a read names the tag, in whatever coding.
bool is_known(const Request& request, std::string_view tag);

// If-Match and If-None-Match of a write, against the object's tag; nothing: there is no object.
// Throws precondition-failed.
void check_conditions(const Call& call, std::optional<std::string_view> tag);

}  // namespace shopbell::http
