// Settings: everything an operator can decide, one row each. The configuration file, the names in
// the environment, the example file and the table in docs/run/settings.md are all made from these
// rows.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/config/config.h"

namespace shopbell::app {

struct Setting {
  std::string_view name;      // `http.listen`
  std::string_view sample;    // as it is written in the file: the default, or something of its kind
  std::string_view fallback;  // what holds without it, in Markdown; code when it is the sample
  std::string_view takes;     // in Markdown
  // Takes a value's text into the config; returns what is wrong with it, or nothing.
  std::string (*take)(Config& config, const std::string& text);
  bool is_list = false;  // in the file also as an array; as a text it has commas
};

std::span<const Setting> settings();

// `http.listen` is SHOPBELL_HTTP_LISTEN.
std::string environment_name(const Setting& setting);

// A configuration file with every setting in it, each commented out and explained.
std::string example_file();

// The rows as docs/run/settings.md has them.
std::string settings_table();

}  // namespace shopbell::app
