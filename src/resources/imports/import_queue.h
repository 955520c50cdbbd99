// Queues an import whose file is in the storage as a job.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "jobs/job.h"
#include "json/reading.h"
#include "pg/group.h"
#include "pg/result.h"
#include "resources/imports/file_intake.h"
#include "resources/imports/import.h"
#include "resources/imports/import_rules.h"

namespace shopbell::imports {

// too_many() returns the problem import-queue-full; refuse_more() throws it at the limit.
Problem too_many(std::int64_t unfinished);
void refuse_more(std::int64_t unfinished);

// Adds the three reads whose results resolved() and refuse_more() need.
void read_premises(pg::Group& reads, std::int64_t account, const Import& request);
// Replaces the names in the options by ids. Adds a fault to the reading for each unknown name.
Import resolved(json::Reading& reading, Import request, std::span<const pg::Result> found);
// Adds the job and makes it the owner of the file, in one group. `key` is the caller's API key, or
// nullopt for a command.
jobs::Job add_import(pg::Group& effect, const Import& request, const FileIntake& intake,
                     std::int64_t account, std::optional<Uuid> key, Instant now,
                     std::span<const pg::Result> found);

}  // namespace shopbell::imports
