// AuditEntry: one row of the audit trail, as it is read. operations/audit.h writes the rows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "base/uuid.h"

namespace shopbell::audit {

struct AuditEntry {
  Uuid id;
  Instant at;
  std::string actor;                    // "key", "command", …
  std::optional<std::string> actor_id;  // id of the key, if the actor is a key
  std::string operation;                // such as "createKey"
  std::string object;                   // "keys/0192f5c0-0000-7000-8000-000000000001", "store"
  std::vector<std::string> members;     // names of the members that the request sent
  std::optional<std::string> request_id;
  std::optional<std::string> address;  // IP address of the client
};

}  // namespace shopbell::audit
