#include "app/config.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <format>
#include <vector>

#define TOML_EXCEPTIONS 1
#include <toml++/toml.hpp>

namespace shopbell::app {

namespace {

// Takes a value's text into the config; returns what is wrong with it, or nothing.
using Take = std::string (*)(Config& config, const std::string& text);

struct Setting {
  std::string_view name;
  Take take;
};

std::string take_address(Address& address, const std::string& text) {
  const auto colon = text.rfind(':');
  const std::string_view port =
      colon == std::string::npos ? "" : std::string_view{text}.substr(colon + 1);
  std::uint16_t number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (colon == 0 || port.empty() || error != std::errc{} || end != port.data() + port.size()) {
    return "is not an address and port, such as 127.0.0.1:8080";
  }
  address = {text.substr(0, colon), number};
  return {};
}

std::string take_count(std::size_t& count, const std::string& text, std::size_t least,
                       std::size_t most) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < least || number > most) {
    return std::format("is not a whole number from {} to {}", least, most);
  }
  count = number;
  return {};
}

std::string take_database(std::string& url, const std::string& text) {
  if (!text.starts_with("postgresql://") && !text.starts_with("postgres://")) {
    return "is not a connection string, such as postgresql://user:password@host:5432/database";
  }
  url = text;
  return {};
}

std::string take_base_path(Config& config, const std::string& text) {
  if (!text.empty() && (!text.starts_with('/') || text.ends_with('/'))) {
    return "must be empty, or start with a slash and not end with one, such as /shop";
  }
  config.base_path = text;
  return {};
}

std::string take_level(Config& config, const std::string& text) {
  constexpr std::array<std::string_view, 4> kNames{"debug", "info", "warn", "error"};
  const auto found = std::ranges::find(kNames, text);
  if (found == kNames.end()) return "is none of debug, info, warn, error";
  config.log_level = static_cast<observe::Level>(found - kNames.begin());
  return {};
}

std::string take_truth(bool& truth, const std::string& text) {
  if (text != "true" && text != "false") return "is neither true nor false";
  truth = text == "true";
  return {};
}

const std::vector<Setting>& settings() {
  static const std::vector<Setting> table{
      {"http.listen", [](Config& c, const std::string& t) { return take_address(c.listen, t); }},
      {"http.base_path", take_base_path},
      {"http.threads",
       [](Config& c, const std::string& t) { return take_count(c.threads, t, 0, 256); }},
      {"private.listen",
       [](Config& c, const std::string& t) { return take_address(c.private_listen, t); }},
      {"database.api",
       [](Config& c, const std::string& t) { return take_database(c.database_api, t); }},
      {"database.worker",
       [](Config& c, const std::string& t) { return take_database(c.database_worker, t); }},
      {"database.reader",
       [](Config& c, const std::string& t) { return take_database(c.database_reader, t); }},
      {"database.connections",
       [](Config& c, const std::string& t) {
         return take_count(c.database_connections, t, 1, 64);
       }},
      {"keyring.file",
       [](Config& c, const std::string& t) {
         c.keyring = t;
         return std::string{};
       }},
      {"log.level", take_level},
      {"log.requests",
       [](Config& c, const std::string& t) { return take_truth(c.log_requests, t); }},
  };
  return table;
}

// How many letters to change to get from one word to the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row.back();
}

std::string unknown_setting(std::string_view name) {
  const auto nearest = std::ranges::min_element(
      settings(), {}, [&](const Setting& s) { return distance(s.name, name); });
  return std::format("there is no setting {}; did you mean {}?", name, nearest->name);
}

// A value as the environment would spell it; secrets never appear in messages, so the text is not
// echoed.
std::string text_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
  return "";
}

toml::table parse_file(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) {
    throw ConfigError{std::format(
        "{}: no such file; `shopbell init` makes one, --config names another", file.string())};
  }
  try {
    return toml::parse_file(file.string());
  } catch (const toml::parse_error& error) {
    throw ConfigError{
        std::format("{}:{}: {}", file.string(), error.source().begin.line, error.description())};
  }
}

void take_file(Config& config, const std::filesystem::path& file) {
  const toml::table root = parse_file(file);
  const auto refuse = [&](const toml::node& node, std::string_view why) {
    throw ConfigError{std::format("{}:{}: {}", file.string(), node.source().begin.line, why)};
  };
  for (const auto& [section, content] : root) {
    const auto* table = content.as_table();
    if (table == nullptr) refuse(content, unknown_setting(section.str()));
    for (const auto& [key, value] : *table) {
      const std::string name = std::format("{}.{}", section.str(), key.str());
      const auto setting = std::ranges::find(settings(), name, &Setting::name);
      if (setting == settings().end()) refuse(value, unknown_setting(name));
      if (const auto why = setting->take(config, text_of(value)); !why.empty()) {
        refuse(value, std::format("{} {}", name, why));
      }
    }
  }
}

void take_environment(Config& config, const Environment& environment) {
  for (const auto& [name, take] : settings()) {
    std::string variable = std::format("SHOPBELL_{}", name);
    std::ranges::transform(variable, variable.begin(), [](char c) {
      return c == '.' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    });
    const auto value = environment(variable);
    if (!value) continue;
    if (const auto why = take(config, *value); !why.empty())
      throw ConfigError{std::format("{} {}", variable, why)};
  }
}

}  // namespace

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>{value};
  };
}

Config load_config(const std::filesystem::path& file, const Environment& environment) {
  Config config;
  take_file(config, file);
  take_environment(config, environment);
  const std::array<std::pair<std::string_view, const std::string*>, 3> needed{
      {{"database.api", &config.database_api},
       {"database.worker", &config.database_worker},
       {"database.reader", &config.database_reader}}};
  for (const auto& [name, value] : needed) {
    if (value->empty())
      throw ConfigError{
          std::format("{}: {} is missing; `shopbell init` writes it", file.string(), name)};
  }
  if (config.keyring.empty()) config.keyring = "keyring";
  if (config.keyring.is_relative()) config.keyring = file.parent_path() / config.keyring;
  return config;
}

std::string load_owner(const std::filesystem::path& file) {
  const auto url = parse_file(file)["database"]["owner"].value<std::string>();
  if (!url)
    throw ConfigError{
        std::format("{}: database.owner is missing; `shopbell init` writes it", file.string())};
  return *url;
}

}  // namespace shopbell::app
