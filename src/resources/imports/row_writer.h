// RowWriter: how the records of a file become what they say, a chunk of them in one transaction.
// What comes of it is what comes of sending them one by one, in the order of the file.
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
  std::vector<RowError> errors;  // why it failed, or what of it was left out
};

// What records come to: how each was judged, and the statements that make it so.
struct Plan {
  std::vector<Judged> judged;
  pg::Group effect;
};

// Adds what belongs into the transaction of the records: that they are done.
using Account = std::function<void(std::span<const Judged> judged, pg::Group& effect)>;

// What every writer works with.
struct Desk {
  pg::Pool& database;
  const keyring::Keyring& keyring;
  std::int64_t account = 0;
  const Import& import;

  pg::Scope scope() const;
};

class RowWriter {
 public:
  virtual ~RowWriter() = default;

  // The columns a file may have.
  virtual boost::asio::awaitable<FindKind> columns() = 0;
  // The column whose equal neighbours are one record; empty: each row is one.
  virtual std::string grouped() const { return ""; }
  // How many of the records may be written together, from the first on.
  virtual std::size_t togetherness(std::span<const Record> records) const = 0;
  // What the records come to behind those that were planned last, which may not be written yet; if
  // they never are, the plan is worthless. Nothing from a writer that cannot tell.
  virtual boost::asio::awaitable<std::optional<Plan>> plan_ahead(std::span<const Record>) {
    co_return std::nullopt;
  }
  // All of them, or none: throws what the database says.
  virtual boost::asio::awaitable<void> write(std::span<const Record> records, Account account) = 0;
};

// A fault in a file may quote what is in it: it is cut to what is bearable.
RowError error_of(std::int64_t row, std::string_view pointer, std::string_view code,
                  std::string_view detail);
// What a refusal says of a row.
std::vector<RowError> errors_of(const Record& record, const Problem& problem);

std::unique_ptr<RowWriter> contact_writer(const Desk& desk);
// Of everything else: by the operation that takes one.
std::unique_ptr<RowWriter> request_writer(const Desk& desk);

}  // namespace shopbell::imports
