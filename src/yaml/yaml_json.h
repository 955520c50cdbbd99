// Reads YAML as JSON, and knows the line of each value. JSON is read too, because it is YAML.
#pragma once

#include <cstddef>
#include <expected>
#include <map>
#include <string>
#include <string_view>

#include "base/limits.h"

namespace shopbell::yaml {

struct Json {
  std::string text;
  std::map<std::string, std::size_t, std::less<>> lines;  // from 1, by JSON pointer

  // The line of the value at a JSON pointer; of the nearest value around it if there is none.
  std::size_t line_of(std::string_view pointer) const;
};

struct Malformed {
  std::size_t line;
  std::string why;
};

// Plain scalars become numbers, booleans and null if JSON writes them so; all others become texts,
// as quoted ones do. So `on`, `yes` and dates stay texts. Refuses repeated members, several
// documents and tags. An alias (`*name`) repeats its anchor; `json_bytes_max` limits the result.
std::expected<Json, Malformed> to_json(std::string_view yaml,
                                       std::size_t json_bytes_max = limits::kBodyBytes);

}  // namespace shopbell::yaml
