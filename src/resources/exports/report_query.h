// The SQL of a report: its columns and rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "resources/exports/columns.h"
#include "resources/exports/export.h"

namespace shopbell::exports {

// In the order of the file; the columns refer to the rows as r.
std::vector<Column> report_columns(const Export& request);

struct ReportRows {
  std::string rows;  // a query
  std::string order;
};
ReportRows report_rows(const Export& request, std::int64_t account);

}  // namespace shopbell::exports
