#include "base/ip.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include <arpa/inet.h>

namespace shopbell {

namespace {

constexpr unsigned kMappedBits = 96;  // prefix of an IPv4-mapped IPv6 address
constexpr std::array<std::uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

// IPv4 networks that are not public.
constexpr std::string_view kSpecialV4[]{
    "0.0.0.0/8",        // this host; Linux connects 0.0.0.0 to itself
    "10.0.0.0/8",       // private
    "100.64.0.0/10",    // carrier-grade NAT
    "127.0.0.0/8",      // loopback
    "168.63.129.16",    // internal services of a cloud on a public-looking address
    "169.254.0.0/16",   // link-local, and most clouds' metadata
    "172.16.0.0/12",    // private
    "192.0.0.0/24",     // protocol assignments
    "192.0.2.0/24",     // documentation
    "192.88.99.0/24",   // former 6to4 relays
    "192.168.0.0/16",   // private
    "198.18.0.0/15",    // benchmarks
    "198.51.100.0/24",  // documentation
    "203.0.113.0/24",   // documentation
    "224.0.0.0/4",      // multicast
    "240.0.0.0/4",      // reserved, and broadcast
};

// The only public IPv6 network, without the exceptions below. It excludes loopback, IPv4-mapped and
// -compatible, NAT64, unique local, link-local, site-local and multicast addresses.
constexpr std::string_view kGlobalV6 = "2000::/3";
constexpr std::string_view kSpecialV6[]{
    "2001::/23",      // protocol assignments: Teredo, ORCHID and others
    "2001:db8::/32",  // documentation
    "2002::/16",      // 6to4: embeds an IPv4 address
    "3fff::/20",      // documentation
};

std::vector<Network> networks(std::span<const std::string_view> texts) {
  std::vector<Network> parsed;
  for (const auto text : texts) parsed.push_back(Network::parse(text).value());
  return parsed;
}

}  // namespace

std::optional<Ip> Ip::parse(std::string_view text) {
  if (text.size() >= INET6_ADDRSTRLEN || text.contains('\0')) return std::nullopt;
  const std::string terminated{text};
  const bool is_v6 = text.contains(':');
  Ip ip;
  ip.size_ = is_v6 ? 16 : 4;
  if (::inet_pton(is_v6 ? AF_INET6 : AF_INET, terminated.c_str(), ip.bytes_.data()) != 1)
    return std::nullopt;
  return ip;
}

Ip Ip::v4(std::span<const std::uint8_t, 4> bytes) {
  Ip ip;
  std::ranges::copy(bytes, ip.bytes_.begin());
  ip.size_ = 4;
  return ip;
}

Ip Ip::v6(std::span<const std::uint8_t, 16> bytes) {
  Ip ip;
  std::ranges::copy(bytes, ip.bytes_.begin());
  ip.size_ = 16;
  return ip;
}

Ip Ip::unmapped() const {
  if (is_v4() || !std::ranges::equal(std::span{bytes_}.first<12>(), kMapped)) return *this;
  return v4(std::span{bytes_}.last<4>());
}

std::string Ip::text() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  ::inet_ntop(is_v4() ? AF_INET : AF_INET6, bytes_.data(), text.data(), text.size());
  return text.data();
}

std::optional<Network> Network::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto start = Ip::parse(text.substr(0, slash));
  if (!start) return std::nullopt;
  const unsigned most = start->is_v4() ? 32 : 128;
  unsigned bits = most;
  if (slash != std::string_view::npos) {
    const std::string_view digits = text.substr(slash + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
    if (error != std::errc{} || end != digits.data() + digits.size() || bits > most)
      return std::nullopt;
  }
  const Ip plain = start->unmapped();
  if (plain == *start) return Network{*start, bits};
  if (bits < kMappedBits) return Network{*start, bits};  // wider than the IPv4-mapped range
  return Network{plain, bits - kMappedBits};
}

bool Network::holds(const Ip& address) const { return has_prefix_of(address.unmapped()); }

bool Network::has_prefix_of(const Ip& address) const {
  if (address.is_v4() != start_.is_v4()) return false;
  const auto a = address.bytes();
  const auto b = start_.bytes();
  const std::size_t whole = bits_ / 8;
  if (!std::ranges::equal(a.first(whole), b.first(whole))) return false;
  const unsigned rest = bits_ % 8;
  return rest == 0 || ((a[whole] ^ b[whole]) >> (8 - rest)) == 0;
}

// Halves the network until each part is within one of the others, or contains none of them. So the
// number of steps is limited by the number of the others times the length of an address.
bool Network::is_within(std::span<const Network> others) const {
  const auto contains = [](const Network& wide, const Network& narrow) {
    return wide.bits_ <= narrow.bits_ && wide.has_prefix_of(narrow.start_);
  };
  if (std::ranges::any_of(others, [&](const Network& other) { return contains(other, *this); }))
    return true;
  if (std::ranges::none_of(others, [&](const Network& other) { return contains(*this, other); }))
    return false;
  return half(false).is_within(others) && half(true).is_within(others);
}

Network Network::half(bool upper) const {
  std::array<std::uint8_t, 16> bytes{};
  std::ranges::copy(start_.bytes(), bytes.begin());
  const auto bit = static_cast<std::uint8_t>(0x80U >> (bits_ % 8));
  std::uint8_t& byte = bytes[bits_ / 8];
  byte = static_cast<std::uint8_t>(upper ? byte | bit : byte & ~bit);
  const std::span<const std::uint8_t, 16> all{bytes};
  return {start_.is_v4() ? Ip::v4(all.first<4>()) : Ip::v6(all), bits_ + 1};
}

bool is_public(const Ip& address) {
  static const std::vector<Network> special_v4 = networks(kSpecialV4);
  static const std::vector<Network> special_v6 = networks(kSpecialV6);
  static const Network global_v6 = Network::parse(kGlobalV6).value();
  if (!address.is_v4() && !global_v6.holds(address)) return false;
  return std::ranges::none_of(address.is_v4() ? special_v4 : special_v6,
                              [&](const Network& network) { return network.holds(address); });
}

bool is_network(std::string_view text) { return Network::parse(text).has_value(); }

bool address_in(std::string_view address, std::string_view network) {
  const auto parsed = Ip::parse(address);
  const auto range = Network::parse(network);
  return parsed && range && range->holds(*parsed);
}

bool network_in(std::string_view network, std::span<const std::string> networks) {
  const auto inner = Network::parse(network);
  std::vector<Network> outer;
  for (const auto& text : networks) {
    if (const auto parsed = Network::parse(text)) outer.push_back(*parsed);
  }
  return inner && inner->is_within(outer);
}

std::string normal_address(std::string_view text) {
  const auto address = Ip::parse(text);
  return address ? address->unmapped().text() : "";
}

}  // namespace shopbell
