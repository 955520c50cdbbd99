// HTML pages with one shared layout and style, without scripts or external resources. A
// Content-Security-Policy header enforces that.
#pragma once

#include <string>
#include <string_view>

#include "http/wire/message.h"

namespace shopbell::http {

// Escapes text for use between tags or in a quoted attribute.
std::string escape_html(std::string_view text);

// Escapes a description like escape_html(). Text between backticks becomes <code>.
std::string prose_html(std::string_view text);

// `title` is text; `body` is the HTML between the body tags, and contains one `main`.
Response html_page(std::string_view title, std::string_view body);

}  // namespace shopbell::http
