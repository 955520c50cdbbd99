// Jobs as requests use them: create, read, cancel and delete, within one account.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "jobs/job.h"
#include "pg/group.h"
#include "pg/pool.h"

namespace shopbell::jobs {

Job job_of(const pg::Row& row);

void read_job(pg::Group& reads, std::int64_t account, const std::string& kind, const Uuid& id);
std::optional<Job> found_job(const pg::Result& result);

void read_unfinished(pg::Group& reads, std::int64_t account, const std::string& kind);
std::int64_t found_unfinished(const pg::Result& result);

// Serializes writers that add something counted to the account.
void lock_account(pg::Group& effect, std::int64_t account);

// Guarded changes: refused with SB001 if the data that was read has changed since.
void add_job(pg::Group& effect, const Job& job, std::int64_t unfinished_most);
void cancel_job(pg::Group& effect, const Job& job, Instant now);
// Deletes the job and marks its files for removal.
void delete_job(pg::Group& effect, const Job& job);

struct Listing {
  std::string kind;
  std::optional<std::string> after;  // id of the previous page's last job
  bool ascending = false;
  std::int64_t limit = 0;
  std::optional<std::string> state;
  std::optional<std::string> type;
};
boost::asio::awaitable<std::vector<Job>> list_jobs(pg::Pool& database, pg::Scope scope,
                                                   Listing listing);

}  // namespace shopbell::jobs
