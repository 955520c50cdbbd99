#include "operations/operation.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace shopbell::operations {

std::string_view name_of(Method method) {
  constexpr std::array<std::string_view, 8> kNames{"GET",   "HEAD",   "POST",    "PUT",
                                                   "PATCH", "DELETE", "OPTIONS", "?"};
  return kNames[static_cast<std::size_t>(method)];
}

const Operation& find_operation(const std::vector<Operation>& operations, std::string_view id) {
  const auto found = std::ranges::find_if(
      operations, [&](const Operation& operation) { return operation.description.id == id; });
  if (found == operations.end()) throw std::logic_error{"there is no operation " + std::string{id}};
  return *found;
}

}  // namespace shopbell::operations
