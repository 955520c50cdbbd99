#include "app/config/config.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <format>
#include <vector>

#define TOML_EXCEPTIONS 1
#include <toml++/toml.hpp>

#include "app/config/settings.h"

namespace shopbell::app {

namespace {

// Returns the edit distance of two words.
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
  return std::format("unknown setting {}; did you mean {}?", name, nearest->name);
}

// Returns a TOML value as text, in the form of an environment variable. The value may be a secret,
// so error messages must not contain it.
std::string text_of(const toml::node& node, bool is_list = false) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
  std::string joined;
  if (const auto* array = is_list ? node.as_array() : nullptr) {
    for (const auto& entry : *array) {
      if (!joined.empty()) joined += ',';
      const std::string text = text_of(entry);
      joined += text.empty() ? " " : text;  // distinguishes an empty entry from an empty list
    }
  }
  return joined;
}

toml::table parse_file(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) {
    throw ConfigError{std::format(
        "{}: file not found; create it with `shopbell init`, or name another with --config",
        file.string())};
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
  for (const auto& setting : settings()) {
    const std::string variable = environment_name(setting);
    const auto value = environment(variable);
    if (!value) continue;
    if (const auto why = setting.take(config, *value); !why.empty())
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

void require_all_of_kafka(const KafkaConfig& kafka, const std::filesystem::path& file) {
  const auto refuse = [&](std::string_view why) {
    throw ConfigError{std::format("{}: {}", file.string(), why)};
  };
  if (kafka.tls_certificate.empty() != kafka.tls_key.empty())
    refuse("set both kafka.tls_certificate and kafka.tls_key, or neither");
  if (!kafka.intake_topic.empty() && kafka.intake_topic == kafka.stream_topic)
    refuse("kafka.intake_topic and kafka.stream_topic must differ");
  const bool sasl = !kafka.sasl_mechanism.empty();
  if (kafka.sasl_user.empty() == sasl || kafka.sasl_password_file.empty() == sasl)
    refuse(
        "set all of kafka.sasl_mechanism, kafka.sasl_user and kafka.sasl_password_file, or "
        "none");
  if (!kafka.tls && !(kafka.tls_ca_file.empty() && kafka.tls_certificate.empty()))
    refuse("kafka.tls must be true if certificates are configured");
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
  require_all_of_kafka(config.kafka, file);
  for (auto* name :
       {&config.keyring, &config.storage_directory, &config.s3.secret_file, &config.s3.ca_file,
        &config.tls_certificate, &config.tls_key, &config.kafka.tls_ca_file,
        &config.kafka.tls_certificate, &config.kafka.tls_key, &config.kafka.sasl_password_file})
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
