// /imports/ and /manage/imports/
#pragma once

#include <optional>
#include <vector>

#include "http/route.h"
#include "jobs/job.h"
#include "resources/files/files_api.h"

namespace shopbell::imports {

std::vector<http::Route> routes();

// The report of an import's failed rows.
std::optional<files::Offer> offered(const jobs::Job& job);

}  // namespace shopbell::imports
