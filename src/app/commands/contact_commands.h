// `shopbell contact …`: shows, erases and merges contacts.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

#include "app/config/config.h"

namespace shopbell::app {

void add_contact_commands(CLI::App& commands, const std::function<Config()>& config);

}  // namespace shopbell::app
