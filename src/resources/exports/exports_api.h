// /exports/ and /manage/exports/
#pragma once

#include <optional>
#include <vector>

#include "http/route.h"
#include "jobs/job.h"
#include "resources/files/files_api.h"

namespace shopbell::exports {

std::vector<http::Route> routes();

// The file that an export has become.
std::optional<files::Offer> offered(const jobs::Job& job);

}  // namespace shopbell::exports
