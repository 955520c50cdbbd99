// The filters of exports as JSON: one table for all filters. Each type and each report supports
// some of them.
#pragma once

#include <string>
#include <vector>

#include "json/fields.h"
#include "resources/exports/export.h"

namespace shopbell::exports {

// creatable_types() returns the types that `POST /exports/` accepts; all_types() returns all.
std::vector<std::string> creatable_types();
std::vector<std::string> all_types();

// Returns the scopes that a caller needs to request the export, and to read its file.
std::vector<std::string> read_scopes(const Export& made);

json::Field<Export> filters_field();

// Refuses filters that the type does not support, missing required ones, and conflicting ones.
void check_filters(json::Reading& reading, const Export& request);

}  // namespace shopbell::exports
