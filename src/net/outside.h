// Outside: decides whether a request may go to a URL that a store supplied (SSRF protection). It
// must not reach the operator's own network, however the host is spelled and whatever it resolves
// to. Only ports 80 and 443 of public addresses are allowed; the operator can list more.
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
  // Private hosts that are allowed: names, addresses and networks. "10.1.2.3" and "hooks.internal"
  // allow ports 80, 443 and allow_ports; "127.0.0.1:8090" allows that port alone. A listed name may
  // resolve to any address; any name may resolve to a listed address.
  std::vector<std::string> allow_private = {};
  std::vector<std::uint16_t> allow_ports = {};  // allowed besides 80 and 443, on every host

  bool operator==(const OutsideRules&) const = default;
};

// True if the text is valid as an entry of allow_private.
bool is_listable_host(std::string_view text);

// The port and the addresses that a request may connect to.
class OutsideTarget {
 public:
  // Checks the URL without resolving its host. The error is a sentence for the author of the URL.
  static std::expected<OutsideTarget, std::string> of(std::string_view url,
                                                      const OutsideRules& rules);

  // True if the check needs no name resolution: an address, or a name that the operator lists.
  bool is_settled() const { return settled_; }
  bool allows(const Ip& address, std::uint16_t port) const;

 private:
  std::uint16_t port_ = 0;
  bool port_is_open_ = false;  // the port is allowed for every public address
  bool settled_ = false;
  bool listed_by_name_ = false;
  std::vector<Network> listed_;  // private networks listed for this port
};

// True if both URLs have the same scheme, host and port. An invalid URL has no origin.
bool have_same_origin(std::string_view one, std::string_view other);

// Checks a URL that is only stored. Returns the error, or nullopt if the URL is allowed.
std::optional<std::string> why_not_outside(std::string_view url, const OutsideRules& rules);

}  // namespace shopbell::net
