// Target URLs of outgoing requests, and the scope that is required to set one.
#pragma once

#include <string_view>

#include "json/reading.h"
#include "net/outside.h"

namespace shopbell::outgoing {

inline constexpr std::string_view kScope = "webhooks:write";

// Adds a fault at `url` when the operator's rules forbid the URL. A host name may still resolve to
// an internal address, so each request checks the resolved address again.
void check_url(json::Reading& reading, std::string_view url, const net::OutsideRules& rules);

}  // namespace shopbell::outgoing
