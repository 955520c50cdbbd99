// What an operator does to accounts, keys and the keyring, from the command line.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

#include "app/config/config.h"

namespace shopbell::app {

// Adds `account`, `key` and `keyring` to the commands. `config` is asked when one of them runs.
void add_operator_commands(CLI::App& commands, std::function<Config()> config);

}  // namespace shopbell::app
