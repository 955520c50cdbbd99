// IP addresses and networks: strict parsing, canonical text, and the check for public addresses.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace shopbell {

class Ip {
 public:
  // "192.0.2.7", "2001:db8::1": four decimal numbers without leading zeros, or RFC 4291. Rejects a
  // zone id, because it has a meaning on one machine only.
  static std::optional<Ip> parse(std::string_view text);
  static Ip v4(std::span<const std::uint8_t, 4> bytes);
  static Ip v6(std::span<const std::uint8_t, 16> bytes);

  bool is_v4() const { return size_ == 4; }
  std::span<const std::uint8_t> bytes() const { return std::span{bytes_}.first(size_); }
  // Converts IPv4-mapped IPv6 (::ffff:192.0.2.7) to IPv4; returns any other address unchanged.
  Ip unmapped() const;
  std::string text() const;

  bool operator==(const Ip&) const = default;

 private:
  std::array<std::uint8_t, 16> bytes_{};
  std::size_t size_ = 0;
};

class Network {
 public:
  // A network ("10.0.0.0/8") or one address. An IPv4-mapped network becomes an IPv4 network.
  static std::optional<Network> parse(std::string_view text);

  // An IPv4-mapped IPv6 address counts as IPv4.
  bool holds(const Ip& address) const;
  // True if all addresses of this network are in the union of the others.
  bool is_within(std::span<const Network> others) const;

  bool operator==(const Network&) const = default;

 private:
  Network(const Ip& start, unsigned bits) : start_(start), bits_(bits) {}
  bool has_prefix_of(const Ip& address) const;
  Network half(bool upper) const;

  Ip start_;
  unsigned bits_;  // prefix length
};

// True for addresses of the public Internet. False for the special-purpose networks in the IANA
// registries (RFC 6890) and for every IPv6 address that embeds an IPv4 address.
bool is_public(const Ip& address);

// Checks and conversion of addresses and networks stored as text. An invalid text gives false or an
// empty string.
bool is_network(std::string_view text);
bool address_in(std::string_view address, std::string_view network);
bool network_in(std::string_view network, std::span<const std::string> networks);
std::string normal_address(std::string_view text);  // writes an IPv4-mapped address as IPv4

}  // namespace shopbell
