#include "http/wire/path.h"

#include <algorithm>
#include <ranges>

#include "base/limits.h"
#include "base/text.h"

namespace shopbell::http {

namespace {
int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}
}  // namespace

std::optional<std::string> percent_decode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(text[i]);
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex_value(text[i + 1]);
    const int low = hex_value(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    decoded.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  if (decoded.contains('\0') || !is_utf8(decoded)) return std::nullopt;
  return decoded;
}

std::string percent_encode(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view{"-._~@"}.contains(c);
    encoded += plain ? std::string{c} : std::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

std::optional<Path> split_path(std::string_view raw) {
  if (!raw.starts_with('/')) return std::nullopt;
  raw.remove_prefix(1);
  Path path;
  if (raw.empty()) return path;
  if (raw.ends_with('/')) {
    path.trailing_slash = true;
    raw.remove_suffix(1);
    if (raw.empty()) return std::nullopt;
  }
  for (const auto part : std::views::split(raw, '/')) {
    auto segment = percent_decode(std::string_view{part});
    if (!segment || segment->empty() || *segment == "." || *segment == "..") return std::nullopt;
    if (path.segments.size() == limits::kPathSegments) return std::nullopt;
    path.segments.push_back(std::move(*segment));
  }
  return path;
}

std::optional<std::vector<std::pair<std::string, std::string>>> split_query(std::string_view raw) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto part : std::views::split(raw, '&')) {
    const std::string_view pair{part};
    if (pair.empty()) continue;
    const auto decode = [](std::string_view text) {
      std::string spaced{text};
      std::ranges::replace(spaced, '+', ' ');
      return percent_decode(spaced);
    };
    const auto equals = pair.find('=');
    auto name = decode(pair.substr(0, equals));
    auto value = decode(equals == std::string_view::npos ? "" : pair.substr(equals + 1));
    if (!name || !value) return std::nullopt;
    pairs.emplace_back(std::move(*name), std::move(*value));
  }
  return pairs;
}

}  // namespace shopbell::http
