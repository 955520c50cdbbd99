// IP addresses and networks: read strictly, written in one way, and told apart as public or not.
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
  // "192.0.2.7", "2001:db8::1": four decimal numbers without leading zeros, or RFC 4291. No zone,
  // which means something on one machine only.
  static std::optional<Ip> parse(std::string_view text);
  static Ip v4(std::span<const std::uint8_t, 4> bytes);
  static Ip v6(std::span<const std::uint8_t, 16> bytes);

  bool is_v4() const { return size_ == 4; }
  std::span<const std::uint8_t> bytes() const { return std::span{bytes_}.first(size_); }
  // IPv4 inside IPv6 (::ffff:192.0.2.7) as IPv4; any other as it is.
  Ip unmapped() const;
  std::string text() const;

  bool operator==(const Ip&) const = default;

 private:
  std::array<std::uint8_t, 16> bytes_{};
  std::size_t size_ = 0;
};

class Network {
 public:
  // A network ("10.0.0.0/8") or one address. One of IPv4 inside IPv6 is one of IPv4.
  static std::optional<Network> parse(std::string_view text);

  // IPv4 inside IPv6 counts as IPv4.
  bool holds(const Ip& address) const;

  bool operator==(const Network&) const = default;

 private:
  Network(const Ip& start, unsigned bits) : start_(start), bits_(bits) {}

  Ip start_;
  unsigned bits_;  // how many of its first bits an address must share
};

// Whether the address is one of the Internet at large: none that the IANA registries of special
// purposes (RFC 6890) name, and none that carries an IPv4 address inside, whatever that one is.
bool is_public(const Ip& address);

// The same on texts, for what is stored and compared as such; false and empty when one is none.
bool is_network(std::string_view text);
bool address_in(std::string_view address, std::string_view network);
std::string normal_address(std::string_view text);  // IPv4 inside IPv6 as IPv4

}  // namespace shopbell
