// Settings: a table of all settings of an operator. The configuration file, the environment
// variables, the example file and the table in docs/run/settings.md are generated from it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/config/config.h"

namespace shopbell::app {

struct Setting {
  std::string_view name;      // name of the setting, such as `http.listen`
  std::string_view sample;    // value in the example file: the default, or an example
  std::string_view fallback;  // default, in Markdown; shown as code if equal to `sample`
  std::string_view takes;     // description of valid values, in Markdown
  // Stores a value in the config. Returns an error text, or "" if the value is valid.
  std::string (*take)(Config& config, const std::string& text);
  bool is_list = false;  // the file may have an array; the environment, comma-separated text
};

std::span<const Setting> settings();

// Returns the environment variable of a setting: `http.listen` is SHOPBELL_HTTP_LISTEN.
std::string environment_name(const Setting& setting);

// Returns a configuration file with all settings, commented out and explained.
std::string example_file();

// Returns the table of settings in docs/run/settings.md.
std::string settings_table();

}  // namespace shopbell::app
