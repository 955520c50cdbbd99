// The text part of a mail, derived from its HTML: what a reader of the HTML sees, with the targets
// of links. Parts that are not visible are left out: comments, styles, scripts, hidden elements.
#pragma once

#include <string>
#include <string_view>

namespace shopbell::templates {

std::string html_to_text(std::string_view html);

}  // namespace shopbell::templates
