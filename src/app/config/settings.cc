#include "app/config/settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <format>
#include <functional>
#include <ranges>

#include "base/ip.h"
#include "base/text.h"
#include "storage/s3_client.h"

namespace shopbell::app {

namespace {

// Returns the member of a config at the end of a path of member pointers.
template <auto kMember, auto... kInside>
auto& at(auto& object) {
  if constexpr (sizeof...(kInside) == 0) {
    return object.*kMember;
  } else {
    return at<kInside...>(object.*kMember);
  }
}

template <auto... kPath>
std::string address(Config& config, const std::string& text) {
  const auto colon = text.rfind(':');
  const std::string_view port =
      colon == std::string::npos ? "" : std::string_view{text}.substr(colon + 1);
  std::uint16_t number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (colon == 0 || port.empty() || error != std::errc{} || end != port.data() + port.size()) {
    return "must be an address and port, such as 127.0.0.1:8080";
  }
  at<kPath...>(config) = {text.substr(0, colon), number};
  return {};
}

template <std::size_t kLeast, std::size_t kMost, auto... kPath>
std::string count(Config& config, const std::string& text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < kLeast ||
      number > kMost) {
    return std::format("must be a whole number from {} to {}", kLeast, kMost);
  }
  at<kPath...>(config) = number;
  return {};
}

template <auto... kPath>
std::string database(Config& config, const std::string& text) {
  if (!text.starts_with("postgresql://") && !text.starts_with("postgres://")) {
    return "must be a connection string, such as postgresql://user:password@host:5432/database";
  }
  at<kPath...>(config) = text;
  return {};
}

template <auto... kPath>
std::string truth(Config& config, const std::string& text) {
  if (text != "true" && text != "false") return "must be true or false";
  at<kPath...>(config) = text == "true";
  return {};
}

template <auto... kPath>
std::string any_text(Config& config, const std::string& text) {
  at<kPath...>(config) = text;
  return {};
}

std::string base_path(Config& config, const std::string& text) {
  if (!text.empty() && (!text.starts_with('/') || text.ends_with('/'))) {
    return "must be empty, or start with a slash and not end with one, such as /shop";
  }
  config.base_path = text;
  return {};
}

std::string level(Config& config, const std::string& text) {
  constexpr std::array<std::string_view, 4> kNames{"debug", "info", "warn", "error"};
  const auto found = std::ranges::find(kNames, text);
  if (found == kNames.end()) return "must be one of debug, info, warn, error";
  config.log_level = static_cast<observe::Level>(found - kNames.begin());
  return {};
}

std::string endpoint(Config& config, const std::string& text) {
  config.s3.endpoint = text;
  return text.empty() ? "" : storage::fault_of_endpoint(text);
}

// Passes each entry of a comma-separated list to `take`. Returns false if `take` refuses an entry.
bool entries(const std::string& text, const std::function<bool(std::string_view)>& take) {
  return text.empty() || std::ranges::all_of(std::views::split(text, ','), [&](auto part) {
           return take(trimmed(std::string_view{part}));
         });
}

std::string trusted_proxies(Config& config, const std::string& text) {
  config.trusted_proxies.clear();
  const bool taken = entries(text, [&](std::string_view range) {
    config.trusted_proxies.emplace_back(range);
    return is_network(range);
  });
  return taken ? "" : "must be a list of addresses and networks, such as 10.0.0.0/8, 192.0.2.7";
}

std::string allow_private(Config& config, const std::string& text) {
  config.webhooks.allow_private.clear();
  const bool taken = entries(text, [&](std::string_view host) {
    config.webhooks.allow_private.emplace_back(host);
    return net::is_listable_host(host);
  });
  return taken ? "" : "must be a list of hosts, such as 127.0.0.1:8090, 10.0.0.0/8, hooks.internal";
}

std::string allow_ports(Config& config, const std::string& text) {
  config.webhooks.allow_ports.clear();
  const bool taken = entries(text, [&](std::string_view digits) {
    std::uint16_t& port = config.webhooks.allow_ports.emplace_back();
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    return error == std::errc{} && end == digits.data() + digits.size() && port != 0;
  });
  return taken ? "" : "must be a list of ports, such as 8443, 9443";
}

std::string brokers(Config& config, const std::string& text) {
  config.kafka.brokers.clear();
  const bool taken = entries(text, [&](std::string_view broker) {
    config.kafka.brokers.emplace_back(broker);
    const auto colon = broker.rfind(':');
    return colon != std::string_view::npos && colon > 0 && colon + 1 < broker.size() &&
           std::ranges::all_of(broker.substr(colon + 1),
                               [](char c) { return c >= '0' && c <= '9'; });
  });
  return taken ? "" : "must be a list of brokers, such as kafka-1:9092, kafka-2:9092";
}

template <auto Topic>
std::string topic(Config& config, const std::string& text) {
  config.kafka.*Topic = text;
  const bool plain = std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
  return plain && text.size() <= 249
             ? ""
             : "must be a topic name: up to 249 letters, digits, dots, dashes and underscores";
}

std::string mechanism(Config& config, const std::string& text) {
  constexpr std::array<std::string_view, 4> kNames{"", "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"};
  config.kafka.sasl_mechanism = text;
  return std::ranges::contains(kNames, text) ? ""
                                             : "must be one of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512";
}

constexpr Setting kSettings[] = {
    {"http.listen", R"("127.0.0.1:8080")", "`127.0.0.1:8080`",
     "address and port, such as `[::1]:8080`; port 0 picks a free port", address<&Config::listen>},
    {"http.base_path", R"("/shop")", "empty", "path prefix of the API, such as `/shop`", base_path},
    {"http.threads", "0", "`0`", "number of event loops, 0 to 256; 0: one per processor",
     count<0, 256, &Config::threads>},
    {"http.tls_certificate", R"("tls/certificate.pem")", "empty: plain HTTP",
     "PEM file with the certificate chain, own certificate first; relative to the "
     "configuration file",
     any_text<&Config::tls_certificate>},
    {"http.tls_key", R"("tls/key.pem")", "empty",
     "PEM file with the private key, without a password; set both or neither",
     any_text<&Config::tls_key>},
    {"http.trusted_proxies", R"(["10.0.0.0/8", "::1"])", "empty",
     R"(addresses and networks: `["10.0.0.0/8", "::1"]`, or a comma-separated string)",
     trusted_proxies, true},
    {"http.connections_per_address", "1000", "`1000`",
     "open connections of one client address per process, 0 to 1000000; 0: no limit; trusted "
     "proxies are exempt",
     count<0, 1'000'000, &Config::connections_per_address>},
    {"http.retire_deprecated", "false", "`false`",
     "`true` disables the deprecated `/contacts/{email}` operations: they return 410",
     truth<&Config::retire_deprecated>},
    {"private.listen", R"("127.0.0.1:9090")", "`127.0.0.1:9090`",
     "address and port of health, readiness and metrics", address<&Config::private_listen>},
    {"database.api", R"("postgresql://shopbell_api:PASSWORD@127.0.0.1:5432/shopbell")",
     "none, required", "connection string of `shopbell_api`: `postgresql://…`",
     database<&Config::database_api>},
    {"database.worker", R"("postgresql://shopbell_worker:PASSWORD@127.0.0.1:5432/shopbell")",
     "none, required", "connection string of `shopbell_worker`",
     database<&Config::database_worker>},
    {"database.reader", R"("postgresql://shopbell_reader:PASSWORD@127.0.0.1:5432/shopbell")",
     "none, required", "connection string of `shopbell_reader`",
     database<&Config::database_reader>},
    {"database.connections", "2", "`2`",
     "connections for reads per event loop, 1 to 64; many requests share each",
     count<1, 64, &Config::database_connections>},
    {"database.write_connections", "2", "`2`",
     "connections for commits per event loop, 1 to 64; while all of them wait for the disk, "
     "new writes are batched into the next commit",
     count<1, 64, &Config::database_write_connections>},
    {"keyring.file", R"("keyring")", "`keyring`",
     "path of the keyring file; relative to the configuration file", any_text<&Config::keyring>},
    {"storage.directory", R"("files")", "`files`",
     "directory for the files of imports and exports; relative to the configuration file; "
     "created when the first file is stored",
     any_text<&Config::storage_directory>},
    {"storage.s3_endpoint", R"("https://s3.eu-central-1.amazonaws.com")", "–",
     "URL of an S3 server, such as `https://s3.eu-central-1.amazonaws.com`; replaces "
     "`storage.directory`",
     endpoint},
    {"storage.s3_region", R"("eu-central-1")", "–",
     "S3 region, such as `eu-central-1`; servers other than AWS often expect `us-east-1`",
     any_text<&Config::s3, &S3Config::region>},
    {"storage.s3_bucket", R"("shopbell")", "–", "an existing bucket, used by this service only",
     any_text<&Config::s3, &S3Config::bucket>},
    {"storage.s3_bucket_in_host", "false", "`false`",
     "`true` uses URLs `https://bucket.host/…` instead of `https://host/bucket/…`",
     truth<&Config::s3, &S3Config::bucket_in_host>},
    {"storage.s3_key_id", R"("KEY-ID")", "–", "id of the S3 access key",
     any_text<&Config::s3, &S3Config::key_id>},
    {"storage.s3_secret_file", R"("s3-secret")", "–",
     "file with the secret of the access key, one line; relative to the configuration file",
     any_text<&Config::s3, &S3Config::secret_file>},
    {"storage.s3_ca_file", R"("s3-ca.pem")", "–",
     "CA certificates for the S3 server, instead of the system's list",
     any_text<&Config::s3, &S3Config::ca_file>},
    {"webhooks.allow_private", R"(["127.0.0.1:8090", "hooks.internal"])", "empty",
     "non-public hosts that webhooks may call: names, addresses, networks; `127.0.0.1:8090` "
     "allows that port only, an entry without a port allows 80, 443 and `allow_ports`",
     allow_private, true},
    {"webhooks.allow_ports", "[8443]", "empty",
     "ports that webhooks may call on every host, in addition to 80 and 443", allow_ports, true},
    {"kafka.brokers", R"(["kafka-1:9092", "kafka-2:9092", "kafka-3:9092"])", "empty: no Kafka",
     "bootstrap brokers, as `host:port`", brokers, true},
    {"kafka.intake_topic", R"("shopbell-intake")", "`shopbell-intake`",
     "topic that queues events sent with `Prefer: respond-async`; created if "
     "missing; empty: no intake",
     topic<&KafkaConfig::intake_topic>},
    {"kafka.intake_partitions", "3", "`3`",
     "number of partitions of `kafka.intake_topic`, 1 to 64; the service refuses a topic with "
     "another number",
     count<1, 64, &Config::kafka, &KafkaConfig::intake_partitions>},
    {"kafka.stream_topic", R"("shopbell-events")", "empty: none",
     "topic that receives every event of the event log; created with 64 partitions if missing",
     topic<&KafkaConfig::stream_topic>},
    {"kafka.allow_single_broker", "false", "`false`",
     "`true` accepts a topic with fewer than 3 replicas or `min.insync.replicas` below 2: the "
     "loss of one machine may then lose acknowledged events",
     truth<&Config::kafka, &KafkaConfig::allow_single_broker>},
    {"kafka.tls", "true", "no", "`true` connects to the brokers with TLS",
     truth<&Config::kafka, &KafkaConfig::tls>},
    {"kafka.tls_ca_file", R"("kafka-ca.pem")", "–",
     "CA certificates for the brokers, instead of the system's list",
     any_text<&Config::kafka, &KafkaConfig::tls_ca_file>},
    {"kafka.tls_certificate", R"("kafka-certificate.pem")", "–",
     "PEM file with the client certificate, if the brokers require one",
     any_text<&Config::kafka, &KafkaConfig::tls_certificate>},
    {"kafka.tls_key", R"("kafka-key.pem")", "–",
     "PEM file with the private key of the client certificate; set both or neither",
     any_text<&Config::kafka, &KafkaConfig::tls_key>},
    {"kafka.sasl_mechanism", R"("SCRAM-SHA-512")", "–",
     "SASL mechanism: `PLAIN`, `SCRAM-SHA-256`, `SCRAM-SHA-512`", mechanism},
    {"kafka.sasl_user", R"("shopbell")", "–", "SASL user name",
     any_text<&Config::kafka, &KafkaConfig::sasl_user>},
    {"kafka.sasl_password_file", R"("kafka-password")", "–",
     "file with the SASL password, one line; relative to the configuration file",
     any_text<&Config::kafka, &KafkaConfig::sasl_password_file>},
    {"log.level", R"("info")", "`info`",
     "minimum level of log lines: `debug`, `info`, `warn`, `error`", level},
    {"log.requests", "true", "`true`", "`true` logs a line per request",
     truth<&Config::log_requests>},
};

// Formats text as comment lines of at most 100 bytes.
std::string commented(std::string_view text) {
  constexpr std::size_t kMost = 98;
  std::string lines;
  while (text.size() > kMost) {
    const std::size_t space = text.rfind(' ', kMost);
    if (space == std::string_view::npos) break;
    lines += std::format("# {}\n", text.substr(0, space));
    text.remove_prefix(space + 1);
  }
  return lines + std::format("# {}\n", text);
}

}  // namespace

std::span<const Setting> settings() { return kSettings; }

std::string environment_name(const Setting& setting) {
  std::string name = std::format("SHOPBELL_{}", setting.name);
  std::ranges::transform(name, name.begin(), [](char c) {
    return c == '.' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  });
  return name;
}

std::string example_file() {
  std::string text =
      "# Every setting of Shopbell, as `shopbell config` prints them. A line that starts with # "
      "and\n"
      "# no space shows the default, or an example if there is no default. `shopbell init` writes "
      "a\n"
      "# file with the required settings. Environment variables override the file.\n";
  std::string_view section;
  for (const auto& setting : kSettings) {
    const std::size_t dot = setting.name.find('.');
    if (setting.name.substr(0, dot) != section) {
      section = setting.name.substr(0, dot);
      text += std::format("\n[{}]\n", section);
    }
    text += std::format("\n{}", commented(setting.takes));
    text += std::format("# Default: {}. In the environment: {}\n", setting.fallback,
                        environment_name(setting));
    text += std::format("#{} = {}\n", setting.name.substr(dot + 1), setting.sample);
  }
  return text;
}

std::string settings_table() {
  std::string text = "| Setting | Environment | Default | Value |\n|---|---|---|---|\n";
  for (const auto& setting : kSettings)
    text += std::format("| `{}` | `{}` | {} | {} |\n", setting.name, environment_name(setting),
                        setting.fallback, setting.takes);
  return text;
}

}  // namespace shopbell::app
