// `shopbell log …`: how far events are read, by whom, and what was put aside.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

#include "app/config/config.h"

namespace shopbell::app {

void add_log_commands(CLI::App& commands, const std::function<Config()>& config);

}  // namespace shopbell::app
