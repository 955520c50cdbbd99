// Canonical JSON: members sorted by name, so that values that differ only in member order have the
// same text.
#pragma once

#include <string>

#include "json/document.h"

namespace shopbell::json {

std::string canonical(const Value& value);

}  // namespace shopbell::json
