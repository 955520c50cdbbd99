// Conditions: entity tags, and writes that depend on them (If-Match, If-None-Match).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "json/schema.h"

namespace shopbell::operations {

class Input;

// The tags that a condition lists, with their quotes.
struct TagList {
  bool any = false;  // `*`: any tag of an existing object
  std::vector<std::string> strong;
  std::vector<std::string> weak;

  bool is_empty() const { return !any && strong.empty() && weak.empty(); }
  // `tag` is nullopt if the object does not exist.
  bool names_strongly(std::optional<std::string_view> tag) const;
  bool names(std::optional<std::string_view> tag) const;

  static TagList any_tag() { return {.any = true}; }
};

struct Conditions {
  std::optional<TagList> if_match;
  std::optional<TagList> if_none_match;
};

// The ETag of a row's version and schema. It changes with the version, with a new row under the
// same id, and with the shape of the output.
std::string version_tag(Instant created_at, std::int64_t version, std::string_view shape);
std::string shape_of(const json::Schema& schema);

// Checks the conditions of a write against the object's tag, which is nullopt if the object does
// not exist. Throws precondition-failed.
void check_conditions(const Conditions& conditions, std::optional<std::string_view> tag);
void check_conditions(const Input& input, std::optional<std::string_view> tag);

}  // namespace shopbell::operations
