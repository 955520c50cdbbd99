// Conditional requests (RFC 9110, 13): entity tags in headers. The tag of a compressed body carries
// the coding, "…-gzip", and names the same version of the object as the tag without it.
#pragma once

#include <string>
#include <string_view>

#include "http/wire/message.h"
#include "operations/conditions.h"

namespace shopbell::http {

// If-Match and If-None-Match, with the codings removed from their tags.
operations::Conditions conditions_of(const Request& request);

// The tag of the same object in a content coding: "…-gzip".
std::string coded_tag(std::string_view tag, std::string_view coding);

}  // namespace shopbell::http
