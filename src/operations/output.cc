#include "operations/output.h"

#include <format>

namespace shopbell::operations {

Output created(const Input& input, Output output, std::string_view path) {
  output.outcome = Outcome::created;
  output.location = std::format("{}{}", input.base_path(), path);
  return output;
}

}  // namespace shopbell::operations
