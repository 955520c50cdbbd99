// Reads the audit trail. Rows are written in operations/audit.h, and deleted by upkeep alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "pg/pool.h"
#include "resources/audit/audit_entry.h"

namespace shopbell::audit {

struct Listing {
  std::int64_t account = 0;          // operations::kInstallation: rows about the installation
  std::optional<std::string> actor;  // a kind of actor, or the id of a key
  std::optional<std::string> operation;
  std::optional<std::string> object;  // "keys/0192…", or the kind alone: "keys"
  std::optional<Instant> created_after;
  std::optional<Instant> created_before;
  std::optional<Uuid> after;  // the entry at which the previous page ended
  bool ascending = false;     // oldest first; else newest first
  std::int64_t limit = 0;
};

// The API role reads its own account only; the worker role reads any.
boost::asio::awaitable<std::vector<AuditEntry>> list_entries(pg::Pool& database, pg::Scope scope,
                                                             Listing listing);

// Sorts after all ids of version 7 made before this millisecond, and before all others.
Uuid first_id_of(std::chrono::sys_time<std::chrono::milliseconds> time);

}  // namespace shopbell::audit
