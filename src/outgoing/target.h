// Target URLs of outgoing requests, and the scope that is required to set one.
#pragma once

#include <string_view>

#include "json/reading.h"
#include "net/outside.h"
#include "outgoing/sent_header.h"

namespace shopbell::outgoing {

inline constexpr std::string_view kScope = "webhooks:write";

// Adds a fault at `url` when the operator's rules forbid the URL. A host name may still resolve to
// an internal address, so each request checks the resolved address again.
void check_url(json::Reading& reading, std::string_view url, const net::OutsideRules& rules);

// Settles the headers after a change; `sent` is true if the request contained them. The stored
// values may be secrets between the store and one server. So a URL on another origin (scheme, host
// or port) needs all values again: without them, it adds faults at `headers`.
void settle_moved_headers(json::Reading& reading, std::string_view url_before,
                          std::string_view url_after, const SentHeaders& before, SentHeaders& after,
                          bool sent);

}  // namespace shopbell::outgoing
