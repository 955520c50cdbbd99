// Reports about workflows: what their runs did, and the use of coupons.
#pragma once

#include <cstdint>
#include <vector>

#include "resources/exports/columns.h"
#include "resources/exports/report_query.h"

namespace shopbell::exports {

std::vector<Column> workflow_performance_columns();
ReportRows workflow_performance(const Export& request, std::int64_t account);

std::vector<Column> coupon_usage_columns();
ReportRows coupon_usage(const Export& request, std::int64_t account);

}  // namespace shopbell::exports
