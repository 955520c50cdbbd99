// Tricks: URLs by which a store could try to get a request into the operator's own network.
#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/proofs/actors/name_server.h"

namespace shopbell::proofs {

// Addresses that stand for the Internet.
inline constexpr std::string_view kPublicV4 = "93.184.215.14";
inline constexpr std::string_view kPublicV4Other = "151.101.1.69";
inline constexpr std::string_view kPublicV6 = "2606:2800:21f::1";

struct Trick {
  std::string url;
  std::string name = {};  // in `url`, and what it resolves to at each question
  std::vector<NameServer::Records> turns = {};
};

// Addresses inside, one at random of each special network.
std::vector<std::string> inner_addresses(std::mt19937_64& random);

// Spelled addresses, names that resolve to such, ports and schemes; all are to be refused.
std::vector<Trick> all_tricks(std::mt19937_64& random);

}  // namespace shopbell::proofs
