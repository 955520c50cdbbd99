// The responses of the OpenAPI document.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "http/wire/route.h"
#include "json/writer.h"

namespace shopbell::http {

bool is_read(const Operation& route);
// True if the operation's answer has an ETag.
bool has_tag(const operations::Description& operation);

// The responses of an operation: status and JSON.
std::vector<std::pair<std::string, std::string>> answers_of(const Operation& route);

// Writes the components of all response headers.
void write_answer_headers(json::Writer& writer);

}  // namespace shopbell::http
