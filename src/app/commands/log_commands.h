// `shopbell log …`: shows the event log's readers and their lag, processes and parked events.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

#include "app/config/config.h"

namespace shopbell::app {

void add_log_commands(CLI::App& commands, const std::function<Config()>& config);

}  // namespace shopbell::app
