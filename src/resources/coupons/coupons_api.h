// /coupon-sets/ and /manage/coupon-sets/
#pragma once

#include <vector>

#include "http/route.h"

namespace shopbell::coupons {

std::vector<http::Route> routes();

}  // namespace shopbell::coupons
