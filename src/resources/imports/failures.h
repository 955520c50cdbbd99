// Failures: the failed rows of an import. The transaction that skips them stores them; the report
// lists them at the end.
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

  // Adds every row of the failed record, each with all errors of the record.
  void add(const Record& record, const std::vector<RowError>& errors);
  void add_to(pg::Group& effect);

 private:
  const jobs::Job& job_;
  pg::Columns rows_;
};

// Deletes the failures of jobs that have ended, because they are personal data. Runs periodically
// as the worker role, and deletes a limited number of batches per call.
boost::asio::awaitable<void> delete_ended_failures(pg::Pool& database);

// Writes the failed rows as CSV: the columns of a CSV file, or the line of an NDJSON file, then the
// number of the row and its error. A corrected report can be imported as it is. The caller finishes
// the upload.
boost::asio::awaitable<void> write_report(pg::Pool& database, pg::Scope scope, Uuid job,
                                          const Records& records, storage::Upload& upload);

}  // namespace shopbell::imports
