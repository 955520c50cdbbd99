#include "http/wire/path.h"

#include <algorithm>
#include <ranges>

#include "base/limits.h"
#include "base/percent.h"

namespace shopbell::http {

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
