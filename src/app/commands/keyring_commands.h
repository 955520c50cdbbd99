// Operator commands for the keyring: rotate, reseal and retire replace a key without downtime.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

#include "app/config/config.h"

namespace shopbell::app {

// Adds `keyring` to the commands. `config` is called when one of them runs.
void add_keyring_commands(CLI::App& commands, std::function<Config()> config);

}  // namespace shopbell::app
