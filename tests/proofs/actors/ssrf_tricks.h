// Tricks: URLs with which a store could try to reach the operator's internal network (SSRF).
#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/proofs/actors/name_server.h"

namespace shopbell::proofs {

// Addresses that represent the Internet.
inline constexpr std::string_view kPublicV4 = "93.184.215.14";
inline constexpr std::string_view kPublicV4Other = "151.101.1.69";
inline constexpr std::string_view kPublicV6 = "2606:2800:21f::1";

struct Trick {
  std::string url;
  std::string name = {};  // a host name in `url`; `turns` are its records at each query
  std::vector<NameServer::Records> turns = {};
};

// Returns a random address of each internal or special network.
std::vector<std::string> inner_addresses(std::mt19937_64& random);

// Returns URLs that must be rejected: spellings of internal addresses, names that resolve to them,
// ports and schemes.
std::vector<Trick> all_tricks(std::mt19937_64& random);

}  // namespace shopbell::proofs
