// Settings: a table of all settings of an operator. The configuration file, the environment
// variables, the example file and the table in docs/run/settings.md are generated from it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/config/config.h"

namespace shopbell::app {

struct Setting {
  std::string_view name;      // `http.listen`
  std::string_view sample;    // value in the file: the default, or an example
  std::string_view fallback;  // the default in Markdown; as code if it equals the sample
  std::string_view takes;     // description of valid values, in Markdown
  // Stores a value in the config. Returns what is wrong with it, or "".
  std::string (*take)(Config& config, const std::string& text);
  bool is_list = false;  // in the file also as an array; as text it is comma-separated
};

std::span<const Setting> settings();

// `http.listen` is SHOPBELL_HTTP_LISTEN.
std::string environment_name(const Setting& setting);

// A configuration file with all settings, commented out and explained.
std::string example_file();

// The table in docs/run/settings.md.
std::string settings_table();

}  // namespace shopbell::app
