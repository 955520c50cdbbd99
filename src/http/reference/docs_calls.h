// The reference page's chapter on using the API: rules that apply to every operation, and curl
// commands to paste into a shell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/reference/openapi.h"
#include "http/wire/route.h"

namespace shopbell::http {

// A curl command that calls the route with its example, as text. `more` is appended to the path
// ("?limit=2"); `options` are additional options of curl.
std::string curl_command(const Operation& route, const NamedSchemas& named,
                         std::string_view more = "", const std::vector<std::string>& options = {});

std::string command_html(std::string_view command);

// The chapter as HTML. Its commands call routes of this list.
std::string how_to_call(const std::vector<Operation>& routes, const NamedSchemas& named,
                        const std::string& base_path);

}  // namespace shopbell::http
