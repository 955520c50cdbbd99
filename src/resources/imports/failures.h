// Failures: the rows of an import that were not taken, from the transaction that passed over them
// to the report that tells of them.
#pragma once

#include <string>

#include <boost/asio/awaitable.hpp>

#include "jobs/job.h"
#include "pg/columns.h"
#include "pg/pool.h"
#include "resources/imports/records.h"
#include "resources/imports/row_writer.h"
#include "storage/storage.h"

namespace shopbell::imports {

class Failures {
 public:
  explicit Failures(const jobs::Job& job) : job_{job} {}

  // Of one record; several faults of it stand in one row.
  void add(const Record& record, const std::vector<RowError>& errors);
  void add_to(pg::Group& effect);

 private:
  const jobs::Job& job_;
  pg::Columns rows_;
};

// Those of jobs that are over, however they ended: they are people's data. By the worker's role,
// now and then; of very many, the rest the next time.
boost::asio::awaitable<void> forget_failures(pg::Pool& database);

// All of them as CSV: of a CSV file its own columns, then the number of the row, and what is wrong
// with it. What is mended there can be imported as it is. The upload is not finished yet when it
// returns.
boost::asio::awaitable<void> write_report(pg::Pool& database, pg::Scope scope, Uuid job,
                                          const Records& records, storage::Upload& upload);

}  // namespace shopbell::imports
