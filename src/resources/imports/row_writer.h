// RowWriter: applies the records of a file, many in one transaction. The result is the same as
// sending them one by one, in the order of the file.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "keyring/keyring.h"
#include "pg/group.h"
#include "pg/pool.h"
#include "resources/imports/header.h"
#include "resources/imports/import.h"
#include "resources/imports/records.h"

namespace shopbell::imports {

enum class Outcome { created, updated, unchanged, failed };

struct Judged {
  Outcome outcome = Outcome::unchanged;
  std::vector<RowError> errors;  // why the record failed, or which cells were skipped
};

// The outcome of each record, and the statements that write them.
struct Plan {
  std::vector<Judged> judged;
  pg::Group effect;
};

// Adds the progress of the import to the transaction that writes the records.
using AddProgress = std::function<void(std::span<const Judged> judged, pg::Group& effect)>;

// The running import, for its writer.
struct ImportSession {
  pg::Pool& database;
  const keyring::Keyring& keyring;
  std::int64_t account = 0;
  const Import& import;

  pg::Scope scope() const;
};

class RowWriter {
 public:
  virtual ~RowWriter() = default;

  // Returns the columns that a file may have.
  virtual boost::asio::awaitable<FindKind> columns() = 0;
  // Returns the column by which adjacent rows form one record; empty: each row is a record.
  virtual std::string grouped() const { return ""; }
  // Returns how many of the first records one transaction may write.
  virtual std::size_t batch_size(std::span<const Record> records) const = 0;
  // Plans the records on top of the previous plan, which may not be committed yet. If that plan
  // fails, this one is invalid. Returns nullopt if the writer cannot plan ahead.
  virtual boost::asio::awaitable<std::optional<Plan>> plan_ahead(std::span<const Record>) {
    co_return std::nullopt;
  }
  // Writes all records or none; throws the database's error.
  virtual boost::asio::awaitable<void> write(std::span<const Record> records,
                                             AddProgress add_progress) = 0;
};

// Returns an error with truncated pointer and detail, which may quote long values of the file.
RowError error_of(std::int64_t row, std::string_view pointer, std::string_view code,
                  std::string_view detail);
// Returns the errors of a record that the problem refuses.
std::vector<RowError> errors_of(const Record& record, const Problem& problem);

std::unique_ptr<RowWriter> contact_writer(const ImportSession& session);
// Returns the writer of all types but contacts: it invokes the operation that writes one object.
std::unique_ptr<RowWriter> operation_writer(const ImportSession& session);

}  // namespace shopbell::imports
