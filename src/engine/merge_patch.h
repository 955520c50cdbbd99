// Merge patches of contacts, as nodes that update the contact write them.
#pragma once

#include <string>

#include "json/document.h"

namespace shopbell::engine {

// Returns `base` with the members of `patch`: null removes a member, an object is merged, and
// {"add": n} adds to a number. Other values replace.
std::string merged(const json::Value& base, const json::Value& patch);

}  // namespace shopbell::engine
