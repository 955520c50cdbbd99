// /exports/ and /manage/exports/
#pragma once

#include <optional>
#include <vector>

#include "jobs/job.h"
#include "operations/operation.h"
#include "resources/files/files_operations.h"

namespace shopbell::exports {

std::vector<operations::Operation> operation_table();

// The file of a finished export.
std::optional<files::Offer> offered(const jobs::Job& job);

}  // namespace shopbell::exports
