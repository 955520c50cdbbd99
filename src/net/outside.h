// Outside: whether a request may go where a store says. A URL that somebody else wrote must not
// lead into the operator's own network, however its host is spelled and whatever its name resolves
// to. Only ports 80 and 443 of public addresses are outside; the operator can list more.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ip.h"

namespace shopbell::net {

struct OutsideRules {
  // Hosts that are fine though they are not public: names, addresses and networks. "10.1.2.3" and
  // "hooks.internal" stand for ports 80, 443 and allow_ports; "127.0.0.1:8090" for that port alone.
  // A listed name may lead anywhere; any name may lead to a listed address.
  std::vector<std::string> allow_private = {};
  std::vector<std::uint16_t> allow_ports = {};  // beside 80 and 443, on every host

  bool operator==(const OutsideRules&) const = default;
};

// Whether allow_private can have such an entry.
bool is_listable_host(std::string_view text);

// What a request may connect to.
class OutsideTarget {
 public:
  // Judges what can be said of the URL without resolving it, and why it is refused: a sentence
  // for whoever wrote it.
  static std::expected<OutsideTarget, std::string> of(std::string_view url,
                                                      const OutsideRules& rules);

  // Nothing depends on what a name resolves to: there is none, or the operator lists it.
  bool is_settled() const { return settled_; }
  bool allows(const Ip& address, std::uint16_t port) const;

 private:
  std::uint16_t port_ = 0;
  bool port_is_open_ = false;  // for every public address
  bool settled_ = false;
  bool listed_by_name_ = false;
  std::vector<Network> listed_;  // with this port
};

// The same verdict for whoever only wants to store the URL: nothing when it may be used.
std::optional<std::string> why_not_outside(std::string_view url, const OutsideRules& rules);

}  // namespace shopbell::net
