// Every slice of the interface.
#pragma once

#include <string>
#include <vector>

#include "http/route.h"

namespace shopbell::resources {

// `base_path` is where they hang, for the document that describes them.
std::vector<http::Route> all_routes(const std::string& base_path);

// Every scope a key can have: those the routes ask for.
std::vector<std::string> all_scopes();

}  // namespace shopbell::resources
