// The SQL of a report: its columns and rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "resources/exports/columns.h"
#include "resources/exports/export.h"

namespace shopbell::exports {

// Returns the columns in the order of the file. Their SQL refers to the rows as r.
std::vector<Column> report_columns(const Export& request);

struct ReportRows {
  std::string rows;  // the query that selects the rows
  std::string order;
};
ReportRows report_rows(const Export& request, std::int64_t account);

}  // namespace shopbell::exports
