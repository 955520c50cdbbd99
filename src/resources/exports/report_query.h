// What a report counts, as SQL: its columns, and the rows they are of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "resources/exports/columns.h"
#include "resources/exports/export.h"

namespace shopbell::exports {

// In the order of the file; of rows named r.
std::vector<Column> report_columns(const Export& wish);

struct ReportRows {
  std::string rows;  // a query
  std::string order;
};
ReportRows report_rows(const Export& wish, std::int64_t account);

}  // namespace shopbell::exports
