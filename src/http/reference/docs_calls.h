// How to call the interface, for the reference page: what holds for every operation, and commands
// ready to be pasted into a shell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/reference/openapi.h"
#include "http/route.h"

namespace shopbell::http {

// A curl command that calls the route with its example, as text. `more` goes behind the path
// ("?limit=2"), `options` of curl beside those the route needs.
std::string curl_command(const Route& route, const NamedSchemas& named, std::string_view more = "",
                         const std::vector<std::string>& options = {});

std::string command_html(std::string_view command);

// The chapter on calling, as HTML. Its commands call routes of this list.
std::string how_to_call(const std::vector<Route>& routes, const NamedSchemas& named,
                        const std::string& base_path);

}  // namespace shopbell::http
