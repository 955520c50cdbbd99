// Migrations: forward-only steps of the schema, kept in the binary. A transactional one happens
// wholly or not at all; an online one (`-- online` in its first line) runs outside a transaction,
// one step (`-- step` between them) after the other, and is written so that running it again is
// harmless.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "pg/script.h"

namespace shopbell::pg {

struct Migration {
  std::string_view name;  // "0001_accounts"
  std::string_view sql;
};

// Applies what is missing, one process at a time, telling `applied` each name. Refuses a database
// whose history is not a beginning of this one: it belongs to another version of the service.
int migrate(Script& script, std::span<const Migration> migrations,
            const std::function<void(std::string_view name)>& applied);

}  // namespace shopbell::pg
