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

// What a path of members leads to.
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
    return "is not an address and port, such as 127.0.0.1:8080";
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
    return std::format("is not a whole number from {} to {}", kLeast, kMost);
  }
  at<kPath...>(config) = number;
  return {};
}

template <auto... kPath>
std::string database(Config& config, const std::string& text) {
  if (!text.starts_with("postgresql://") && !text.starts_with("postgres://")) {
    return "is not a connection string, such as postgresql://user:password@host:5432/database";
  }
  at<kPath...>(config) = text;
  return {};
}

template <auto... kPath>
std::string truth(Config& config, const std::string& text) {
  if (text != "true" && text != "false") return "is neither true nor false";
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
  if (found == kNames.end()) return "is none of debug, info, warn, error";
  config.log_level = static_cast<observe::Level>(found - kNames.begin());
  return {};
}

std::string endpoint(Config& config, const std::string& text) {
  config.s3.endpoint = text;
  return text.empty() ? "" : storage::fault_of_endpoint(text);
}

// The entries of a list with commas; nothing when `take` refuses one.
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
  return taken ? "" : "is not a list of addresses and networks, such as 10.0.0.0/8, 192.0.2.7";
}

std::string allow_private(Config& config, const std::string& text) {
  config.webhooks.allow_private.clear();
  const bool taken = entries(text, [&](std::string_view host) {
    config.webhooks.allow_private.emplace_back(host);
    return net::is_listable_host(host);
  });
  return taken ? "" : "is not a list of hosts, such as 127.0.0.1:8090, 10.0.0.0/8, hooks.internal";
}

std::string allow_ports(Config& config, const std::string& text) {
  config.webhooks.allow_ports.clear();
  const bool taken = entries(text, [&](std::string_view digits) {
    std::uint16_t& port = config.webhooks.allow_ports.emplace_back();
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    return error == std::errc{} && end == digits.data() + digits.size() && port != 0;
  });
  return taken ? "" : "is not a list of ports, such as 8443, 9443";
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
  return taken ? "" : "is not a list of brokers, such as kafka-1:9092, kafka-2:9092";
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
             : "is no name of a topic: letters, digits, dots, dashes and underscores";
}

std::string mechanism(Config& config, const std::string& text) {
  constexpr std::array<std::string_view, 4> kNames{"", "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"};
  config.kafka.sasl_mechanism = text;
  return std::ranges::contains(kNames, text) ? ""
                                             : "is none of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512";
}

constexpr Setting kSettings[] = {
    {"http.listen", R"("127.0.0.1:8080")", "`127.0.0.1:8080`",
     "address and port; `[::1]:8080`; port 0 takes a free one", address<&Config::listen>},
    {"http.base_path", R"("/shop")", "empty", "where the interface hangs, such as `/shop`",
     base_path},
    {"http.threads", "0", "`0`", "loops, 0 to 256; 0: one per processor",
     count<0, 256, &Config::threads>},
    {"http.tls_certificate", R"("tls/certificate.pem")", "empty: plain HTTP",
     "a PEM file with the chain, own certificate first; relative to the configuration file",
     any_text<&Config::tls_certificate>},
    {"http.tls_key", R"("tls/key.pem")", "empty",
     "the PEM file of its key, without a password; both or neither", any_text<&Config::tls_key>},
    {"http.trusted_proxies", R"(["10.0.0.0/8", "::1"])", "empty",
     R"(addresses and networks: `["10.0.0.0/8", "::1"]`, or one text with commas)", trusted_proxies,
     true},
    {"http.retire_deprecated", "false", "`false`",
     "`true` turns the deprecated `/contacts/{email}` operations off: they answer 410",
     truth<&Config::retire_deprecated>},
    {"private.listen", R"("127.0.0.1:9090")", "`127.0.0.1:9090`",
     "address and port of health, readiness and metrics", address<&Config::private_listen>},
    {"database.api", R"("postgresql://shopbell_api:PASSWORD@127.0.0.1:5432/shopbell")",
     "none, required", "`postgresql://…` of `shopbell_api`", database<&Config::database_api>},
    {"database.worker", R"("postgresql://shopbell_worker:PASSWORD@127.0.0.1:5432/shopbell")",
     "none, required", "of `shopbell_worker`", database<&Config::database_worker>},
    {"database.reader", R"("postgresql://shopbell_reader:PASSWORD@127.0.0.1:5432/shopbell")",
     "none, required", "of `shopbell_reader`", database<&Config::database_reader>},
    {"database.connections", "2", "`2`",
     "reading connections per loop, 1 to 64, each shared by many requests",
     count<1, 64, &Config::database_connections>},
    {"database.write_connections", "2", "`2`",
     "committing connections per loop, 1 to 64; writes that come while all of them wait for the "
     "disk go together in the next commit",
     count<1, 64, &Config::database_write_connections>},
    {"keyring.file", R"("keyring")", "`keyring`", "a path; relative to the configuration file",
     any_text<&Config::keyring>},
    {"storage.directory", R"("files")", "`files`",
     "where files of exports go; relative to the configuration file; made when the first is stored",
     any_text<&Config::storage_directory>},
    {"storage.s3_endpoint", R"("https://s3.eu-central-1.amazonaws.com")", "–",
     "an S3 server, such as `https://s3.eu-central-1.amazonaws.com`: files go there instead",
     endpoint},
    {"storage.s3_region", R"("eu-central-1")", "–",
     "its region, such as `eu-central-1`; servers other than AWS often take `us-east-1`",
     any_text<&Config::s3, &S3Config::region>},
    {"storage.s3_bucket", R"("shopbell")", "–", "a bucket that exists and is the service's own",
     any_text<&Config::s3, &S3Config::bucket>},
    {"storage.s3_bucket_in_host", "false", "`false`",
     "`https://bucket.host/…` instead of `https://host/bucket/…`",
     truth<&Config::s3, &S3Config::bucket_in_host>},
    {"storage.s3_key_id", R"("KEY-ID")", "–", "the id of an access key",
     any_text<&Config::s3, &S3Config::key_id>},
    {"storage.s3_secret_file", R"("s3-secret")", "–",
     "the file with its secret, one line; relative to the configuration file",
     any_text<&Config::s3, &S3Config::secret_file>},
    {"storage.s3_ca_file", R"("s3-ca.pem")", "–",
     "certificates of who vouches for the server, instead of the system's list",
     any_text<&Config::s3, &S3Config::ca_file>},
    {"webhooks.allow_private", R"(["127.0.0.1:8090", "hooks.internal"])", "empty",
     "hosts that webhooks may go to though they are not public: names, addresses, networks; "
     "`127.0.0.1:8090` allows that port alone, an entry without one 80, 443 and `allow_ports`",
     allow_private, true},
    {"webhooks.allow_ports", "[8443]", "empty",
     "ports that webhooks may go to beside 80 and 443, on every host", allow_ports, true},
    {"kafka.brokers", R"(["kafka-1:9092", "kafka-2:9092", "kafka-3:9092"])", "empty: no Kafka",
     "brokers to begin with, as `host:port`", brokers, true},
    {"kafka.intake_topic", R"("shopbell-intake")", "`shopbell-intake`",
     "the topic for events on their way to the database, with which `Prefer: respond-async` is "
     "followed; made, with 3 partitions, when it is not there; empty: none",
     topic<&KafkaConfig::intake_topic>},
    {"kafka.stream_topic", R"("shopbell-events")", "empty: none",
     "the topic to which every event of the log is told; made, with 64 partitions, when it is not "
     "there",
     topic<&KafkaConfig::stream_topic>},
    {"kafka.allow_single_broker", "false", "`false`",
     "`true` takes a topic that is kept on fewer than 3 brokers, or acknowledged by fewer than 2: "
     "the loss of one machine may then lose events that were acknowledged",
     truth<&Config::kafka, &KafkaConfig::allow_single_broker>},
    {"kafka.tls", "true", "no", "`true` speaks TLS to the brokers",
     truth<&Config::kafka, &KafkaConfig::tls>},
    {"kafka.tls_ca_file", R"("kafka-ca.pem")", "–",
     "certificates of who vouches for the brokers, instead of the system's list",
     any_text<&Config::kafka, &KafkaConfig::tls_ca_file>},
    {"kafka.tls_certificate", R"("kafka-certificate.pem")", "–",
     "the service's own certificate, where brokers ask for one",
     any_text<&Config::kafka, &KafkaConfig::tls_certificate>},
    {"kafka.tls_key", R"("kafka-key.pem")", "–", "the PEM file of its key; both or neither",
     any_text<&Config::kafka, &KafkaConfig::tls_key>},
    {"kafka.sasl_mechanism", R"("SCRAM-SHA-512")", "–",
     "how the service proves who it is: `PLAIN`, `SCRAM-SHA-256`, `SCRAM-SHA-512`", mechanism},
    {"kafka.sasl_user", R"("shopbell")", "–", "its name there",
     any_text<&Config::kafka, &KafkaConfig::sasl_user>},
    {"kafka.sasl_password_file", R"("kafka-password")", "–",
     "the file with its password, one line; relative to the configuration file",
     any_text<&Config::kafka, &KafkaConfig::sasl_password_file>},
    {"log.level", R"("info")", "`info`", "`debug`, `info`, `warn`, `error`", level},
    {"log.requests", "true", "`true`", "a line per request, or not", truth<&Config::log_requests>},
};

// As comment lines of at most 100 bytes.
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
      "# Every setting of Shopbell, as `shopbell config` prints them. What stands behind a # "
      "alone\n"
      "# is the default, or an example where there is none. `shopbell init` writes a file with "
      "what\n"
      "# must be there. The environment beats the file.\n";
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
  std::string text = "| Setting | Environment | Default | Takes |\n|---|---|---|---|\n";
  for (const auto& setting : kSettings)
    text += std::format("| `{}` | `{}` | {} | {} |\n", setting.name, environment_name(setting),
                        setting.fallback, setting.takes);
  return text;
}

}  // namespace shopbell::app
