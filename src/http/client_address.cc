#include "http/client_address.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <ranges>

#include <boost/asio/ip/address.hpp>

#include "base/text.h"

namespace shopbell::http {

namespace {

namespace ip = boost::asio::ip;

constexpr unsigned kMappedBits = 96;  // what stands before an IPv4 address inside an IPv6 one

struct Range {
  ip::address start;
  unsigned bits;  // how many of its first bits an address must share
};

std::optional<ip::address> parse_address(std::string_view text) {
  boost::system::error_code error;
  ip::address address = ip::make_address(text, error);
  // A zone ("%eth0") means something on one machine only.
  if (error || text.contains('%') || text.contains('\0')) return std::nullopt;
  return address;
}

ip::address unmapped(const ip::address& address) {
  if (!address.is_v6() || !address.to_v6().is_v4_mapped()) return address;
  return ip::make_address_v4(ip::v4_mapped, address.to_v6());
}

std::optional<Range> parse_range(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto start = parse_address(text.substr(0, slash));
  if (!start) return std::nullopt;
  const unsigned most = start->is_v6() ? 128 : 32;
  unsigned bits = most;
  if (slash != std::string_view::npos) {
    const std::string_view digits = text.substr(slash + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
    if (error != std::errc{} || end != digits.data() + digits.size() || bits > most)
      return std::nullopt;
  }
  const ip::address plain = unmapped(*start);
  if (plain.is_v4() == start->is_v4()) return Range{*start, bits};
  if (bits < kMappedBits) return Range{*start, bits};  // wider than IPv4: a range of IPv6
  return Range{plain, bits - kMappedBits};
}

template <class Bytes>
bool share_bits(const Bytes& a, const Bytes& b, unsigned bits) {
  const std::size_t whole = bits / 8;
  if (!std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(whole), b.begin()))
    return false;
  const unsigned rest = bits % 8;
  return rest == 0 || ((a[whole] ^ b[whole]) >> (8 - rest)) == 0;
}

bool lies_in(const ip::address& address, const Range& range) {
  if (address.is_v4() != range.start.is_v4()) return false;
  return address.is_v4()
             ? share_bits(address.to_v4().to_bytes(), range.start.to_v4().to_bytes(), range.bits)
             : share_bits(address.to_v6().to_bytes(), range.start.to_v6().to_bytes(), range.bits);
}

// Some proxies add the port: "192.0.2.7:4711", "[2001:db8::1]:4711".
std::string_view without_port(std::string_view text) {
  if (text.starts_with('[')) {
    const std::size_t close = text.find(']');
    const std::string_view after = close == std::string_view::npos ? "x" : text.substr(close + 1);
    return after.empty() || after.starts_with(':') ? text.substr(1, close - 1) : "";
  }
  const bool one_colon = std::ranges::count(text, ':') == 1;
  return one_colon ? text.substr(0, text.find(':')) : text;
}

}  // namespace

bool is_address_range(std::string_view text) { return parse_range(text).has_value(); }

bool address_in(std::string_view address, std::string_view range) {
  const auto parsed = parse_address(address);
  const auto network = parse_range(range);
  return parsed && network && lies_in(unmapped(*parsed), *network);
}

std::string normal_address(std::string_view text) {
  const auto address = parse_address(text);
  return address ? unmapped(*address).to_string() : "";
}

std::string client_address(std::string_view peer, std::span<const std::string> trusted,
                           std::span<const std::string_view> forwarded) {
  const auto is_trusted = [&](std::string_view address) {
    return std::ranges::any_of(trusted,
                               [&](const auto& range) { return address_in(address, range); });
  };
  std::string nearest = normal_address(peer);
  for (std::string_view line : std::views::reverse(forwarded)) {
    while (!line.empty()) {
      if (!is_trusted(nearest)) return nearest;
      const std::size_t comma = line.rfind(',');
      const bool last = comma == std::string_view::npos;
      const std::string_view entry = trimmed(last ? line : line.substr(comma + 1));
      line = last ? std::string_view{} : line.substr(0, comma);
      if (entry.empty()) continue;
      std::string address = normal_address(without_port(entry));
      if (address.empty()) return nearest;  // what stands left of nonsense was not checked either
      nearest = std::move(address);
    }
  }
  return nearest;
}

}  // namespace shopbell::http
