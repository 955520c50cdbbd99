// The tables of the reference page: members of request and response bodies, and parameters and
// headers of requests, with their types and limits.
#pragma once

#include <string>
#include <string_view>

#include "http/reference/openapi.h"
#include "http/wire/route.h"
#include "json/schema.h"

namespace shopbell::http {

// Selects the table of a request body or of a response. Responses contain all members that are not
// optional; requests need only the required ones.
enum class Side { request, answer };

// Returns HTML. Nested members follow their parent, with dotted names: "options[].label".
std::string member_table(const json::Schema& schema, const NamedSchemas& named, Side side,
                         std::string_view label);

// Returns HTML; empty if the operation has neither parameters nor headers.
std::string parameter_table(const Operation& route);

// "1–255 characters; one of `a`, `b`", as HTML.
std::string limits_html(const json::Schema& schema);

// A table that scrolls horizontally on narrow pages. `heads` are separated by bars:
// "Name|Type|Meaning".
std::string scrolling_table(std::string_view label, std::string_view heads, std::string_view rows);

}  // namespace shopbell::http
