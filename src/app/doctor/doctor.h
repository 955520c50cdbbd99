// Doctor: `shopbell doctor` looks at an installation and says, line by line, what is as it should
// be, what is not, and what to do about it. It changes nothing and prints no secrets.
#pragma once

#include <filesystem>

namespace shopbell::app {

// Prints a line per check, or a JSON list of them. 1 when one of them found a fault, else 0.
int run_doctor(const std::filesystem::path& config_file, bool as_json);

}  // namespace shopbell::app
