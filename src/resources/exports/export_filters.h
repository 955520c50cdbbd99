// The filters of exports on the wire: one table for all of them, of which each type and each report
// has some.
#pragma once

#include <string>
#include <vector>

#include "json/fields.h"
#include "resources/exports/export.h"

namespace shopbell::exports {

// Types that `POST /exports/` makes, and all there are.
std::vector<std::string> asked_types();
std::vector<std::string> all_types();

json::Field<Export> filters_field();

// Which filters a type has and needs, and the rules between them.
void check_filters(json::Reading& reading, const Export& wish);

}  // namespace shopbell::exports
