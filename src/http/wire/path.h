// Parses paths and queries. They are split first and decoded once afterwards, so that an encoded
// slash stays inside its segment.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shopbell::http {

struct Path {
  std::vector<std::string> segments;
  bool trailing_slash = false;
};

// "/a/b%2Fc/" → {"a", "b/c"}, true. Returns nullopt if a segment is empty, ".", ".." or cannot be
// decoded: such a path matches no route.
std::optional<Path> split_path(std::string_view raw);

// "a=1&b=x%20y+z" → {a, "1"}, {b, "x y z"}. Returns nullopt if the query cannot be decoded.
std::optional<std::vector<std::pair<std::string, std::string>>> split_query(std::string_view raw);

}  // namespace shopbell::http
