// The audit trail: who changed what, when and from where. A row commits with the write that it
// describes: no audited write commits without its row, and one that is rolled back leaves none. A
// row has the names of the members that a request sent, never their values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "operations/operation.h"
#include "pg/group.h"
#include "pg/pool.h"

namespace shopbell::operations {

// The account of rows about the installation itself. No account has this number.
inline constexpr std::int64_t kInstallation = 0;

struct AuditRow {
  std::int64_t account = kInstallation;
  Caller::Kind actor = Caller::Kind::command;
  std::optional<Uuid> actor_id{};  // id of the key, if the actor is a key
  std::string operation;           // such as "createKey"
  std::string object;              // "keys/0192f5c0-0000-7000-8000-000000000001", "store"
  std::vector<std::string> members{};
  std::optional<std::string> request_id{};
  std::optional<std::string> address{};
};

// True for all writes under /manage/, of imports and exports, for erasures, and for every write by
// a command. Other writes are in the event log.
bool is_audited(const Operation& operation, const Caller& caller);

AuditRow audit_row_of(const Input& input, const Output& output);

void add_audit_row(pg::Group& effect, const AuditRow& row, Instant now);

template <class Work, class RowOf>
auto run_with_audit_row(pg::Transaction& transaction, Work& work, RowOf& row_of)
    -> std::invoke_result_t<Work, pg::Transaction&> {
  auto result = co_await work(transaction);
  if (const std::optional<AuditRow> row = row_of(result)) {
    pg::Group audit;
    add_audit_row(audit, *row, system_clock().now());
    co_await transaction.run(std::move(audit));
  }
  co_return result;
}

// Runs `work(transaction)`, a coroutine, for an operator's command. `row_of(result)` returns the
// command's audit row, which is written in the same transaction; nullopt if nothing was changed.
template <class Work, class RowOf>
auto run_audited(pg::Pool& database, pg::Scope scope, Work work, RowOf row_of)
    -> std::invoke_result_t<Work, pg::Transaction&> {
  co_return co_await database.transaction(scope, [&](pg::Transaction& transaction) {
    return run_with_audit_row(transaction, work, row_of);
  });
}

}  // namespace shopbell::operations
