// The tables of the reference page: the members of a body or an answer, and the parameters and
// headers of a request, with their types and limits in words.
#pragma once

#include <string>
#include <string_view>

#include "http/reference/openapi.h"
#include "http/route.h"
#include "json/schema.h"

namespace shopbell::http {

// Whether the table is of what is sent or of what is answered: an answer always has every member
// that is not optional, a body need not.
enum class Side { request, answer };

// HTML. Members of members stand below their own, with dotted names: "options[].label".
std::string member_table(const json::Schema& schema, const NamedSchemas& named, Side side,
                         std::string_view label);

// HTML; empty when the operation has neither parameters nor headers of its own.
std::string parameter_table(const Route& route);

// "1–255 characters; one of `a`, `b`", as HTML.
std::string limits_html(const json::Schema& schema);

// A table in a box of its own that scrolls where the page is too narrow for it; heads are joined by
// bars: "Name|Type|Meaning".
std::string scrolling_table(std::string_view label, std::string_view heads, std::string_view rows);

}  // namespace shopbell::http
