// `shopbell workflow …` and `shopbell template …`: manage workflows, and the templates that they
// use.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

#include "app/config/config.h"

namespace shopbell::app {

void add_template_commands(CLI::App& commands, const std::function<Config()>& config);
// Commands that a script may distinguish set the process's exit code; see workflow_files/apply.h.
void add_workflow_commands(CLI::App& commands, const std::function<Config()>& config,
                           int& exit_code);

}  // namespace shopbell::app
