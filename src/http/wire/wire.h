// A response as bytes of HTTP/1.1.
#pragma once

#include <string>
#include <string_view>

#include "http/wire/message.h"

namespace shopbell::http {

// "Not Found"; a word that fits the class of a status we do not use.
std::string_view reason_of(int status);

std::string to_wire(const Response& response, bool head_only);

// Asks a client that said `Expect: 100-continue` for the body.
inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace shopbell::http
