// The one form of a JSON value: members in the order of their names. What says the same is the same
// text, whatever order it was sent in.
#pragma once

#include <string>

#include "json/document.h"

namespace shopbell::json {

std::string canonical(const Value& value);

}  // namespace shopbell::json
