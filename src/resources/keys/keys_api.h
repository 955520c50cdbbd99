// /manage/keys/
#pragma once

#include <string>
#include <vector>

#include "http/route.h"

namespace shopbell::keys {

// `scopes` are those of all other operations; keys can have them, and those of their own
// management.
std::vector<http::Route> routes(std::vector<std::string> scopes);

}  // namespace shopbell::keys
