// The operations under /coupon-sets/ and /manage/coupon-sets/.
#pragma once

#include <vector>

#include "operations/operation.h"

namespace shopbell::coupons {

std::vector<operations::Operation> operation_table();

}  // namespace shopbell::coupons
