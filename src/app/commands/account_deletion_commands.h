// Operator commands that delete an account, undo that, and show how far a deletion has come.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

#include "app/config/config.h"

namespace shopbell::app {

// Adds `show`, `delete` and `restore` to `account`. `config` is called when one of them runs.
void add_account_deletion(CLI::App& account, const std::function<Config()>& config);

}  // namespace shopbell::app
