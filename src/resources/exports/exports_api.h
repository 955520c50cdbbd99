// /exports/, /manage/exports/ and /files/
#pragma once

#include <vector>

#include "http/route.h"

namespace shopbell::exports {

std::vector<http::Route> routes();

}  // namespace shopbell::exports
