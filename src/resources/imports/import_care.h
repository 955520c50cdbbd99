// An import whose file is in the storage becomes a job, whoever asks: a request, or an operator at
// the terminal.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "jobs/job.h"
#include "json/reading.h"
#include "pg/group.h"
#include "pg/pool.h"
#include "pg/result.h"
#include "resources/imports/file_intake.h"
#include "resources/imports/import.h"
#include "resources/imports/import_rules.h"

namespace shopbell::imports {

// Throws import-queue-full.
Problem too_many(std::int64_t unfinished);
void refuse_more(std::int64_t unfinished);

// What has to be known before it is queued: three results.
void read_premises(pg::Group& reads, std::int64_t account, const Import& wish);
// Faults go to the reading.
Import settled(json::Reading& reading, Import wish, std::span<const pg::Result> found);
// The job, in one group with taking over its file. `key` asks for it; an operator has none.
jobs::Job add_import(pg::Group& effect, const Import& wish, const FileIntake& intake,
                     std::int64_t account, std::optional<Uuid> key, Instant now,
                     std::span<const pg::Result> found);

// For an operator: the file of that path on this machine, and what becomes of it.
boost::asio::awaitable<Import> queue_file(pg::Pool& database, storage::Storage& storage,
                                          std::int64_t account, Wish wish, std::string path);
// Nothing when it was deleted.
boost::asio::awaitable<std::optional<Import>> find_import(pg::Pool& database, std::int64_t account,
                                                          Uuid id);

}  // namespace shopbell::imports
