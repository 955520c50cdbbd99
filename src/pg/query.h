// Query: one named statement. Constants of this type are generated from the .sql files. The name is
// used as prepared statement, as metric label, and as SQL comment, which PostgreSQL's statistics
// views show.
#pragma once

#include <chrono>
#include <stdexcept>
#include <string_view>

#include "base/limits.h"

namespace shopbell::pg {

// The server ends a statement before the client takes its silence for a lost connection: a longer
// timeout does not compile.
struct StatementTimeout : std::chrono::milliseconds {
  constexpr StatementTimeout(std::chrono::milliseconds limit) : std::chrono::milliseconds{limit} {
    if (limit >= limits::kStallTimeout)
      throw std::invalid_argument{"a timeout above kStallTimeout"};
  }
};

struct Query {
  std::string_view name;  // such as "store.get_store"
  StatementTimeout timeout;
  std::string_view sql;
};

}  // namespace shopbell::pg

namespace shopbell {
inline constexpr auto kDefaultQueryTimeout = limits::kQueryTimeout;
}
