// The operations under /imports/ and /manage/imports/.
#pragma once

#include <optional>
#include <vector>

#include "jobs/job.h"
#include "operations/operation.h"
#include "resources/files/files_operations.h"

namespace shopbell::imports {

std::vector<operations::Operation> operation_table();

// Returns the report of an import's failed rows; nullopt if the job has none.
std::optional<files::Offer> offered(const jobs::Job& job);

}  // namespace shopbell::imports
