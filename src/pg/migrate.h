// Migrations: forward-only steps of the schema, kept in the binary. A transactional one happens
// wholly or not at all; an online one (`-- online` in its first line) runs outside a transaction,
// one step (`-- step` between them) after the other, and is written so that running it again is
// harmless.
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pg/script.h"

namespace shopbell::pg {

struct Migration {
  std::string_view name;  // "0001_accounts"
  std::string_view sql;
};

// Applies what is missing, one process at a time, telling `applied` each name. Refuses a database
// whose history is not a beginning of this one: it belongs to another version of the service.
// Nobody waits behind it for a table that a third one uses; after a minute of that it gives up.
int migrate(Script& script, std::span<const Migration> migrations,
            const std::function<void(std::string_view name)>& applied);

// Where a database stands. At most one of the two lists has something in it.
struct Standing {
  std::vector<std::string> missing;  // migrations that it does not have yet
  std::vector<std::string> newer;    // migrations that it has and this binary does not know
};
// Changes nothing. Refuses a database whose applied migrations have other content.
Standing standing_of(Script& script, std::span<const Migration> migrations);

// What became of a migration that was tried and taken back.
struct Rehearsed {
  std::string_view name;
  bool tried = false;  // not an online one, which cannot be taken back, nor one that comes after it
  std::chrono::milliseconds took{};
  // When it took over a second: the tables that were there before and that others could not write
  // to by its end, because of it or of one before it.
  std::vector<std::string> locked;
};

// Runs what is missing in one transaction and takes all of it back, telling `tried` of each. It
// keeps whatever it locks until its end, and gives up where it does not get a lock within a second,
// so that nobody waits behind it for longer. Refuses what `migrate` refuses.
int rehearse(Script& script, std::span<const Migration> migrations,
             const std::function<void(const Rehearsed&)>& tried);

}  // namespace shopbell::pg
