// The operations on purchases.
#pragma once

#include <vector>

#include "http/route.h"

namespace shopbell::purchases {

std::vector<http::Route> routes();

}  // namespace shopbell::purchases
