// Paths and queries: split first, decoded once after, so that an encoded slash stays inside its
// segment.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shopbell::http {

// %41 → A; nothing for a bad escape, U+0000 or what is not UTF-8.
std::optional<std::string> percent_decode(std::string_view text);

// What is no plain letter, digit or -._~@ becomes %XX: a segment of a path.
std::string percent_encode(std::string_view text);

struct Path {
  std::vector<std::string> segments;
  bool trailing_slash = false;
};

// "/a/b%2Fc/" → {"a", "b/c"}, true. Nothing when a segment is empty, ".", ".." or undecodable: such
// a path matches no route.
std::optional<Path> split_path(std::string_view raw);

// "a=1&b=x%20y+z" → {a, "1"}, {b, "x y z"}; nothing for what cannot be decoded.
std::optional<std::vector<std::pair<std::string, std::string>>> split_query(std::string_view raw);

}  // namespace shopbell::http
