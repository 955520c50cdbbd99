// Every slice of the interface.
#pragma once

#include <string>
#include <vector>

#include "http/route.h"

namespace shopbell::resources {

std::vector<http::Route> all_routes();

// Every scope a key can have: those the routes ask for.
std::vector<std::string> all_scopes();

}  // namespace shopbell::resources
