// Config: the operator's settings, from one TOML file and the environment. settings.cc has a table
// of all settings. `http.listen` in the file is SHOPBELL_HTTP_LISTEN in the environment, which
// takes precedence.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/limits.h"
#include "net/outside.h"
#include "observe/log.h"

namespace shopbell::app {

struct Address {
  std::string host;
  std::uint16_t port = 0;

  bool operator==(const Address&) const = default;
};

// Connection to an S3 server. An empty endpoint means that S3 is not configured.
struct S3Config {
  std::string endpoint;
  std::string region;
  std::string bucket;
  std::string key_id;
  std::filesystem::path secret_file;
  std::filesystem::path ca_file;
  bool bucket_in_host = false;

  bool operator==(const S3Config&) const = default;
};

// Connection to Kafka. An empty list of brokers means that Kafka is not configured.
struct KafkaConfig {
  std::vector<std::string> brokers;
  std::string intake_topic = "shopbell-intake";  // empty: the event intake is off
  std::size_t intake_partitions = limits::kIntakePartitions;
  std::string stream_topic;  // empty: the event stream is off
  bool allow_single_broker = false;
  bool tls = false;
  std::filesystem::path tls_ca_file;
  std::filesystem::path tls_certificate;  // set it together with tls_key
  std::filesystem::path tls_key;
  std::string sasl_mechanism;
  std::string sasl_user;
  std::filesystem::path sasl_password_file;

  bool has_intake() const { return !brokers.empty() && !intake_topic.empty(); }
  bool has_stream() const { return !brokers.empty() && !stream_topic.empty(); }

  bool operator==(const KafkaConfig&) const = default;
};

struct Config {
  Address listen{"127.0.0.1", 8080};
  std::string base_path;
  std::size_t threads = 0;                // 0: one thread per processor
  std::filesystem::path tls_certificate;  // set it together with tls_key
  std::filesystem::path tls_key;
  std::vector<std::string> trusted_proxies;  // IP addresses and networks of the proxies
  std::size_t connections_per_address = limits::kConnectionsPerAddress;  // 0: no limit
  Address private_listen{"127.0.0.1", 9090};
  std::string database_api;
  std::string database_worker;
  std::string database_reader;
  std::size_t database_connections = 2;
  std::size_t database_write_connections = 2;
  std::filesystem::path keyring;
  std::filesystem::path storage_directory;
  S3Config s3;  // if set, files go to S3 instead of storage_directory
  net::OutsideRules webhooks;
  KafkaConfig kafka;
  observe::Level log_level = observe::Level::info;
  bool log_requests = true;
  bool retire_deprecated = false;

  bool operator==(const Config&) const = default;
};

// Reports an invalid configuration: the file and line, and what is expected there.
class ConfigError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Environment = std::function<std::optional<std::string>(const std::string& name)>;
Environment process_environment();

// Relative paths in the file are relative to its directory. Throws ConfigError.
Config load_config(const std::filesystem::path& file, const Environment& environment);

// The owner's connection string, which is stored separately from the service's configuration.
// Throws ConfigError.
std::string load_owner(const std::filesystem::path& file);

}  // namespace shopbell::app
