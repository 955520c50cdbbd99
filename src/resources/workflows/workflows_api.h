// /workflows/ and /manage/workflows/
#pragma once

#include <vector>

#include "http/route.h"

namespace shopbell::workflows {

std::vector<http::Route> routes();

}  // namespace shopbell::workflows
