// Doctor: `shopbell doctor` checks an installation and reports each check on a line: what is wrong,
// and how to fix it. It changes nothing and prints no secrets.
#pragma once

#include <filesystem>

namespace shopbell::app {

// Prints one line per check, or all checks as a JSON list. Returns 1 if a check found a fault, else
// returns 0.
int run_doctor(const std::filesystem::path& config_file, bool as_json);

}  // namespace shopbell::app
