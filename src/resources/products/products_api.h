// The operations on products.
#pragma once

#include <vector>

#include "http/route.h"

namespace shopbell::products {

std::vector<http::Route> routes();

}  // namespace shopbell::products
