#include "http/wire/client_address.h"

#include <algorithm>
#include <ranges>

#include "base/ip.h"
#include "base/text.h"

namespace shopbell::http {

namespace {

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
      if (address.empty()) return nearest;  // entries left of an invalid one are not trusted
      nearest = std::move(address);
    }
  }
  return nearest;
}

}  // namespace shopbell::http
