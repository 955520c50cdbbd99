// Pages for people: one shell and one style, no script, nothing from elsewhere. The headers tell a
// browser to hold the page to that.
#pragma once

#include <string>
#include <string_view>

#include "http/wire/message.h"

namespace shopbell::http {

// Text as it stands between tags or inside a quoted attribute.
std::string escape_html(std::string_view text);

// The same for descriptions: what stands between backticks is set as code.
std::string prose_html(std::string_view text);

// `title` is text, `body` the HTML between the body tags, with one `main` in it.
Response html_page(std::string_view title, std::string_view body);

}  // namespace shopbell::http
