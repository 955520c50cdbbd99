// /store/ and /manage/store
#pragma once

#include <vector>

#include "http/route.h"

namespace shopbell::store {

std::vector<http::Route> routes();

}  // namespace shopbell::store
