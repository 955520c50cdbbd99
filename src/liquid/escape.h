// Escaping of HTML.
#pragma once

#include <string>
#include <string_view>

namespace shopbell::liquid {

// Appends the text with & < > " ' as &amp; &lt; &gt; &#34; &#39;.
void append_escaped(std::string& html, std::string_view text);

// Replaces these five entities by their characters.
std::string unescaped(std::string_view html);

}  // namespace shopbell::liquid
