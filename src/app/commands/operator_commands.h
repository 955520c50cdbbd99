// Operator commands for accounts and keys.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

#include "app/config/config.h"

namespace shopbell::app {

// Adds `account` and `key` to the commands. `config` is called when one of them runs.
void add_operator_commands(CLI::App& commands, std::function<Config()> config);

}  // namespace shopbell::app
