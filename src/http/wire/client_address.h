// The client's IP address: the peer's, or the one reported by a trusted proxy.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shopbell::http {

// Any client can send X-Forwarded-For, so it counts only if the peer is a trusted proxy. It is read
// from the right, where proxies append, up to the first address that is not trusted. `forwarded`
// has the values of all such headers in the order sent; `trusted` has addresses and networks.
std::string client_address(std::string_view peer, std::span<const std::string> trusted,
                           std::span<const std::string_view> forwarded);

}  // namespace shopbell::http
