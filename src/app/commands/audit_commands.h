// `shopbell audit`: shows the audit trail of an account or of the installation.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

#include "app/config/config.h"

namespace shopbell::app {

void add_audit_commands(CLI::App& commands, const std::function<Config()>& config);

}  // namespace shopbell::app
