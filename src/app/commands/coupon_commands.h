// `shopbell coupons …`: manages coupon sets, and adds codes from a file.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

#include "app/config/config.h"

namespace shopbell::app {

void add_coupon_commands(CLI::App& commands, const std::function<Config()>& config);

}  // namespace shopbell::app
