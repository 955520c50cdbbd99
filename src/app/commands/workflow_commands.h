// `shopbell workflow …` and `shopbell template …`: definitions, and what they name.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

#include "app/config/config.h"

namespace shopbell::app {

void add_workflow_commands(CLI::App& commands, const std::function<Config()>& config);

}  // namespace shopbell::app
