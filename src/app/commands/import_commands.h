// `shopbell import`: imports rows of a local file into an account.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

#include "app/config/config.h"

namespace shopbell::app {

void add_import_commands(CLI::App& commands, const std::function<Config()>& config);

}  // namespace shopbell::app
