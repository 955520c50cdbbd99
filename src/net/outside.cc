#include "net/outside.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <format>
#include <ranges>

#include "base/text.h"

namespace shopbell::net {

namespace {

constexpr std::size_t kNameBytes = 253;  // maximum length in RFC 1035
constexpr std::size_t kLabelBytes = 63;

struct Host {
  std::string name;  // host name in lower case; empty if it is an address
  std::optional<Ip> address;
  std::optional<std::uint16_t> port;

  bool operator==(const Host&) const = default;
};

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && port != 0 ? std::optional{port} : std::nullopt;
}

bool is_label(std::string_view label) {
  return !label.empty() && label.size() <= kLabelBytes && std::ranges::all_of(label, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

// Only ASCII, so that no name needs decoding or mapping. The last label starts with a letter, as
// every top-level domain does: resolvers read a host as an address if it ends in a number ("127.1",
// "0x7f.1", "2130706433") or in a dot.
bool is_host_name(std::string_view name) {
  if (name.size() > kNameBytes) return false;
  const std::string_view last = name.substr(name.rfind('.') + 1);
  return !last.empty() && last.front() >= 'a' && last.front() <= 'z' &&
         std::ranges::all_of(std::views::split(name, '.'),
                             [](auto label) { return is_label(std::string_view{label}); });
}

// "name", "192.0.2.7", "[2001:db8::1]", each with or without a port.
std::optional<Host> parse_host(std::string_view text) {
  const bool bracketed = text.starts_with('[');
  const std::size_t end = bracketed ? text.find(']') : text.find(':');
  if (bracketed && end == text.npos) return std::nullopt;
  const std::string name = lower_ascii(bracketed ? text.substr(1, end - 1) : text.substr(0, end));
  const std::string_view after =
      end == text.npos ? "" : text.substr(bracketed ? end + 1 : end);  // the port, such as ":80"

  Host host{.name = {}, .address = Ip::parse(name), .port = {}};
  if (host.address ? host.address->is_v4() == bracketed : bracketed || !is_host_name(name))
    return std::nullopt;
  if (!host.address) host.name = name;
  if (!after.empty()) {
    host.port = parse_port(after.substr(1));
    if (!after.starts_with(':') || !host.port) return std::nullopt;
  }
  return host;
}

bool is_secure(std::string_view url) { return url.starts_with("https:"); }

// The host of a web URL, with its port or that of the scheme.
std::optional<Host> host_of(std::string_view url) {
  const bool secure = is_secure(url);
  url.remove_prefix(secure ? 8 : 7);
  auto host = parse_host(url.substr(0, url.find_first_of("/?#")));
  if (host && !host->port) host->port = secure ? 443 : 80;
  return host;
}

// An entry of OutsideRules::allow_private.
struct Listed {
  std::string name;
  std::optional<Network> network;
  std::optional<std::uint16_t> port;
};

std::optional<Listed> parse_listed(std::string_view text) {
  if (const auto network = Network::parse(text)) return Listed{.network = network};
  auto host = parse_host(text);
  if (!host) return std::nullopt;
  Listed listed{.name = std::move(host->name), .port = host->port};
  if (host->address) listed.network = Network::parse(host->address->text());
  return listed;
}

// Names that have a meaning inside one network only: RFC 6761, 6762, 8375, and those that ICANN
// reserves for private use. A name without a dot depends on the machine's search list.
bool is_inner_name(std::string_view name) {
  constexpr std::array<std::string_view, 5> kSuffixes{".localhost", ".local", ".internal",
                                                      ".home.arpa", ".localdomain"};
  return !name.contains('.') || std::ranges::any_of(kSuffixes, [&](std::string_view suffix) {
    return name.ends_with(suffix) || name == suffix.substr(1);
  });
}

}  // namespace

bool is_listable_host(std::string_view text) { return parse_listed(text).has_value(); }

std::expected<OutsideTarget, std::string> OutsideTarget::of(std::string_view url,
                                                            const OutsideRules& rules) {
  if (!is_web_url(url)) return std::unexpected{"Must be an http or https URL without a user."};
  const auto host = host_of(url);
  if (!host)
    return std::unexpected{
        "The host must be a DNS name or an IP address, and the port a number from 1 to 65535."};

  OutsideTarget target;
  target.port_ = *host->port;
  target.port_is_open_ = target.port_ == 80 || target.port_ == 443 ||
                         std::ranges::contains(rules.allow_ports, target.port_);
  for (const auto& entry : rules.allow_private) {
    const auto listed = parse_listed(entry);
    if (!listed || (listed->port ? *listed->port != target.port_ : !target.port_is_open_)) continue;
    if (listed->network) target.listed_.push_back(*listed->network);
    if (!host->address && listed->name == host->name) target.listed_by_name_ = true;
  }
  target.settled_ = host->address || target.listed_by_name_;
  const bool fine = host->address ? target.allows(*host->address, target.port_)
                                  : target.listed_by_name_ || target.port_is_open_;
  if (!fine && !target.port_is_open_)
    return std::unexpected{std::format("Port {} is not allowed.", target.port_)};
  if (!fine) return std::unexpected{"The address is not public."};
  if (!target.settled_ && is_inner_name(host->name))
    return std::unexpected{"The host is not public."};
  return target;
}

bool OutsideTarget::allows(const Ip& address, std::uint16_t port) const {
  if (port != port_) return false;
  return listed_by_name_ || (port_is_open_ && is_public(address)) ||
         std::ranges::any_of(listed_,
                             [&](const Network& network) { return network.holds(address); });
}

bool have_same_origin(std::string_view one, std::string_view other) {
  if (!is_web_url(one) || !is_web_url(other) || is_secure(one) != is_secure(other)) return false;
  const auto host = host_of(one);
  return host && host == host_of(other);
}

std::optional<std::string> why_not_outside(std::string_view url, const OutsideRules& rules) {
  auto target = OutsideTarget::of(url, rules);
  return target ? std::nullopt : std::optional{std::move(target.error())};
}

}  // namespace shopbell::net
