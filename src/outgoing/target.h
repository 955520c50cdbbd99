// Where things are sent to: an address outside, and the scope that naming one needs.
#pragma once

#include <string_view>

#include "json/reading.h"
#include "net/outside.h"

namespace shopbell::outgoing {

inline constexpr std::string_view kScope = "webhooks:write";

// Refuses, as the member `url`, what the operator's rules do not let out. A name may still lead
// inside: that is seen when it is resolved, each time something is sent.
void check_url(json::Reading& reading, std::string_view url, const net::OutsideRules& rules);

}  // namespace shopbell::outgoing
