#include "app/config.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <format>
#include <ranges>
#include <vector>

#define TOML_EXCEPTIONS 1
#include <toml++/toml.hpp>

#include "http/client_address.h"
#include "storage/s3_client.h"

namespace shopbell::app {

namespace {

// Takes a value's text into the config; returns what is wrong with it, or nothing.
using Take = std::string (*)(Config& config, const std::string& text);

struct Setting {
  std::string_view name;
  Take take;
  bool is_list = false;  // in the file also as an array; as a text it has commas
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

std::string take_endpoint(std::string& endpoint, const std::string& text) {
  endpoint = text;
  return text.empty() ? "" : storage::fault_of_endpoint(text);
}

std::string take_text(std::string& setting, const std::string& text) {
  setting = text;
  return {};
}

std::string take_file_name(std::filesystem::path& file, const std::string& text) {
  file = text;
  return {};
}

std::string take_ranges(std::vector<std::string>& ranges, const std::string& text) {
  ranges.clear();
  if (text.empty()) return {};
  for (const auto part : std::views::split(text, ',')) {
    std::string range{std::string_view{part}};
    range.erase(0, std::min(range.find_first_not_of(' '), range.size()));
    range.erase(range.find_last_not_of(' ') + 1);
    if (!http::is_address_range(range))
      return "is not a list of addresses and networks, such as 10.0.0.0/8, 192.0.2.7";
    ranges.push_back(std::move(range));
  }
  return {};
}

const std::vector<Setting>& settings() {
  static const std::vector<Setting> table{
      {"http.listen", [](Config& c, const std::string& t) { return take_address(c.listen, t); }},
      {"http.base_path", take_base_path},
      {"http.threads",
       [](Config& c, const std::string& t) { return take_count(c.threads, t, 0, 256); }},
      {"http.tls_certificate",
       [](Config& c, const std::string& t) { return take_file_name(c.tls_certificate, t); }},
      {"http.tls_key",
       [](Config& c, const std::string& t) { return take_file_name(c.tls_key, t); }},
      {"http.trusted_proxies",
       [](Config& c, const std::string& t) { return take_ranges(c.trusted_proxies, t); }, true},
      {"http.retire_deprecated",
       [](Config& c, const std::string& t) { return take_truth(c.retire_deprecated, t); }},
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
      {"database.write_connections",
       [](Config& c, const std::string& t) {
         return take_count(c.database_write_connections, t, 1, 64);
       }},
      {"keyring.file",
       [](Config& c, const std::string& t) { return take_file_name(c.keyring, t); }},
      {"storage.directory",
       [](Config& c, const std::string& t) { return take_file_name(c.storage_directory, t); }},
      {"storage.s3_endpoint",
       [](Config& c, const std::string& t) { return take_endpoint(c.s3.endpoint, t); }},
      {"storage.s3_region",
       [](Config& c, const std::string& t) { return take_text(c.s3.region, t); }},
      {"storage.s3_bucket",
       [](Config& c, const std::string& t) { return take_text(c.s3.bucket, t); }},
      {"storage.s3_bucket_in_host",
       [](Config& c, const std::string& t) { return take_truth(c.s3.bucket_in_host, t); }},
      {"storage.s3_key_id",
       [](Config& c, const std::string& t) { return take_text(c.s3.key_id, t); }},
      {"storage.s3_secret_file",
       [](Config& c, const std::string& t) { return take_file_name(c.s3.secret_file, t); }},
      {"storage.s3_ca_file",
       [](Config& c, const std::string& t) { return take_file_name(c.s3.ca_file, t); }},
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
std::string text_of(const toml::node& node, bool is_list = false) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
  std::string joined;
  if (const auto* array = is_list ? node.as_array() : nullptr) {
    for (const auto& entry : *array) {
      if (!joined.empty()) joined += ',';
      const std::string text = text_of(entry);
      joined += text.empty() ? " " : text;  // an empty entry is not an empty list
    }
  }
  return joined;
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
      if (const auto why = setting->take(config, text_of(value, setting->is_list)); !why.empty()) {
        refuse(value, std::format("{} {}", name, why));
      }
    }
  }
}

void take_environment(Config& config, const Environment& environment) {
  for (const auto& [name, take, is_list] : settings()) {
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

void require_both_or_neither(const Config& config, const std::filesystem::path& file) {
  if (config.tls_certificate.empty() == config.tls_key.empty()) return;
  const bool has_key = config.tls_certificate.empty();
  throw ConfigError{std::format("{}: {} is set and {} is not; TLS needs both", file.string(),
                                has_key ? "http.tls_key" : "http.tls_certificate",
                                has_key ? "http.tls_certificate" : "http.tls_key")};
}

void require_all_of_s3(const Config& config, const std::filesystem::path& file) {
  const S3Config& s3 = config.s3;
  const std::array<std::pair<std::string_view, bool>, 5> parts{
      {{"storage.s3_endpoint", !s3.endpoint.empty()},
       {"storage.s3_region", !s3.region.empty()},
       {"storage.s3_bucket", !s3.bucket.empty()},
       {"storage.s3_key_id", !s3.key_id.empty()},
       {"storage.s3_secret_file", !s3.secret_file.empty()}}};
  const auto is_set = &std::pair<std::string_view, bool>::second;
  const auto set = std::ranges::find(parts, true, is_set);
  const auto missing = std::ranges::find(parts, false, is_set);
  if (set == parts.end() || missing == parts.end()) return;
  throw ConfigError{std::format("{}: {} is set and {} is not; S3 needs both", file.string(),
                                set->first, missing->first)};
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
  if (config.storage_directory.empty()) config.storage_directory = "files";
  require_both_or_neither(config, file);
  require_all_of_s3(config, file);
  for (auto* name : {&config.keyring, &config.storage_directory, &config.s3.secret_file,
                     &config.s3.ca_file, &config.tls_certificate, &config.tls_key})
    if (!name->empty() && name->is_relative()) *name = file.parent_path() / *name;
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
