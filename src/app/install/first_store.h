// The first store of a new installation, with a key that has all scopes.
#pragma once

#include <optional>
#include <string>

#include "app/config/config.h"
#include "resources/store/accounts.h"

namespace shopbell::app {

// Creates the store and prints its account and API key. Returns the key; the service stores only
// its hash. If a store exists already, creates nothing and returns nullopt.
std::optional<std::string> make_first_store(const Config& config, const store::NewAccount& wanted);

}  // namespace shopbell::app
