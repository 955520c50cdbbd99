// Query: one named statement. Constants of this type are generated from the .sql files of the
// slices; the name serves as prepared statement, metric label and comment in the database's own
// views.
#pragma once

#include <chrono>
#include <string_view>

#include "base/limits.h"

namespace shopbell::pg {

struct Query {
  std::string_view name;  // "store.get_store"
  std::chrono::milliseconds timeout;
  std::string_view sql;
};

}  // namespace shopbell::pg

namespace shopbell {
inline constexpr auto kDefaultQueryTimeout = limits::kQueryTimeout;
}
