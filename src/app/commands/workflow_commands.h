// `shopbell workflow …` and `shopbell template …`: manage workflows, and the templates that they
// use.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

#include "app/config/config.h"

namespace shopbell::app {

void add_workflow_commands(CLI::App& commands, const std::function<Config()>& config);

}  // namespace shopbell::app
