// `shopbell export`: exports rows of an account to a local file.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

#include "app/config/config.h"

namespace shopbell::app {

void add_export_commands(CLI::App& commands, const std::function<Config()>& config);

}  // namespace shopbell::app
