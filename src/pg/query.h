// Query: one named statement. Constants of this type are generated from the .sql files. The name is
// used as prepared statement, as metric label, and as SQL comment, which PostgreSQL's statistics
// views show.
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
