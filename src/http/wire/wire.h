// Serializes a response as HTTP/1.1.
#pragma once

#include <string>
#include <string_view>

#include "http/wire/message.h"

namespace shopbell::http {

// The reason phrase, such as "Not Found"; a generic one for statuses that Shopbell does not use.
std::string_view reason_of(int status);

// The head, followed by the body if is_joined().
std::string to_wire(const Response& response, bool head_only);

// True if head and body are written as one string. A large or shared body is not copied for that.
bool is_joined(const Response& response);

// Sent to a client that waits for it after `Expect: 100-continue`.
inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace shopbell::http
