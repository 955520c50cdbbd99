// Whose request it is, as an IP address: the peer's, or behind proxies the operator trusts the one
// they report.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shopbell::http {

// Everybody can send X-Forwarded-For, so it counts only when a trusted proxy sent it, and only from
// the right, where that proxy wrote, up to the first address that is no trusted proxy. `forwarded`
// are the values of all such headers in the order sent; `trusted` are addresses and networks.
std::string client_address(std::string_view peer, std::span<const std::string> trusted,
                           std::span<const std::string_view> forwarded);

}  // namespace shopbell::http
