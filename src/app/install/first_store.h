// The first store of a new installation, with a key for everything.
#pragma once

#include <optional>
#include <string>

#include "app/config/config.h"
#include "resources/store/accounts.h"

namespace shopbell::app {

// Makes it and says so. Returns the key, which exists nowhere else; nothing, and no store is made,
// where there is one already.
std::optional<std::string> make_first_store(const Config& config, const store::NewAccount& wanted);

}  // namespace shopbell::app
