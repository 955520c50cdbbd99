// Whose request it is, as an IP address: the peer's, or behind proxies the operator trusts the one
// they report. Also the ranges that addresses are compared with, such as those of a key.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shopbell::http {

// An address ("192.0.2.7", "2001:db8::1") or a network ("10.0.0.0/8").
bool is_address_range(std::string_view text);

// False when either is no such thing. IPv4 inside IPv6 (::ffff:192.0.2.7) counts as IPv4.
bool address_in(std::string_view address, std::string_view range);

// One way to write each address, IPv4 inside IPv6 as IPv4; empty when it is none.
std::string normal_address(std::string_view text);

// Everybody can send X-Forwarded-For, so it counts only when a trusted proxy sent it, and only from
// the right, where that proxy wrote, up to the first address that is no trusted proxy. `forwarded`
// are the values of all such headers in the order sent.
std::string client_address(std::string_view peer, std::span<const std::string> trusted,
                           std::span<const std::string_view> forwarded);

}  // namespace shopbell::http
