// The operations under /exports/ and /manage/exports/.
#pragma once

#include <optional>
#include <vector>

#include "jobs/job.h"
#include "operations/operation.h"
#include "resources/files/files_operations.h"

namespace shopbell::exports {

std::vector<operations::Operation> operation_table();

// Returns the file of a finished export; nullopt if the job has none.
std::optional<files::Offer> offered(const jobs::Job& job);

}  // namespace shopbell::exports
