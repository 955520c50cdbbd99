// The doctor's checks of this machine: files, certificate, disk and the running service.
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <format>
#include <optional>
#include <vector>

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "app/config/kafka_setup.h"
#include "app/doctor/doctor_checks.h"
#include "http/server/tls.h"
#include "json/document.h"
#include "keyring/keyring.h"
#include "net/http_client.h"

namespace shopbell::app {

namespace {

constexpr auto kServiceTimeout = std::chrono::seconds{2};

std::filesystem::path owner_file_of(const InspectedInstallation& installation) {
  return installation.config_file().parent_path() / "owner.toml";
}

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : std::string{between}) + part;
  return text;
}

Finding check_configuration(InspectedInstallation& installation) {
  if (installation.config_trouble().empty())
    return {Grade::ok, std::format("{} is valid", installation.config_file().string()), {}};
  return {Grade::fault, installation.config_trouble(),
          "correct that setting; docs/run/settings.md lists all settings"};
}

struct SecretFile {
  std::filesystem::path file;
  unsigned forbidden;  // mode bits that the file must not have
};

// Only one user may have access to files with the installation's own keys. A group may have access
// to the other files.
std::vector<SecretFile> secret_files(const InspectedInstallation& installation) {
  std::vector<SecretFile> files{{installation.config_file(), 07},
                                {owner_file_of(installation), 077}};
  if (!installation.config_trouble().empty()) return files;
  const Config& config = installation.config();
  files.push_back({config.keyring, 077});
  files.push_back({config.tls_key, 07});
  files.push_back({config.s3.secret_file, 07});
  files.push_back({config.kafka.sasl_password_file, 07});
  files.push_back({config.kafka.tls_key, 07});
  return files;
}

Finding check_secret_files(InspectedInstallation& installation) {
  std::vector<std::string> open;
  std::vector<std::string> mends;
  for (const auto& [file, forbidden] : secret_files(installation)) {
    struct stat status{};
    if (file.empty() || ::stat(file.c_str(), &status) != 0) continue;
    if ((status.st_mode & forbidden) == 0) continue;
    open.push_back(std::format("{} (mode {:04o})", file.string(), status.st_mode & 07777));
    mends.push_back(std::format("chmod {} {}", forbidden == 07 ? "o=" : "600", file.string()));
  }
  if (open.empty()) return {Grade::ok, "not accessible to other users", {}};
  return {Grade::fault, std::format("accessible to other users: {}", joined(open, ", ")),
          joined(mends, "; ")};
}

Finding check_owner_file(InspectedInstallation& installation) {
  const auto file = owner_file_of(installation);
  struct stat status{};
  struct stat of_config{};
  if (::stat(file.c_str(), &status) != 0)
    return {
        Grade::ok, std::format("{} does not exist beside the configuration", file.string()), {}};
  const bool known = ::stat(installation.config_file().c_str(), &of_config) == 0;
  if (!known || status.st_uid != of_config.st_uid)
    return {Grade::ok,
            std::format("{} belongs to another user than the configuration", file.string()),
            {}};
  return {Grade::warn,
          std::format("{} belongs to the same user as the configuration: a compromised service "
                      "could change the schema",
                      file.string()),
          "move it where the service cannot read it, and use `shopbell migrate --owner FILE`"};
}

Finding check_keyring(InspectedInstallation& installation) {
  const auto& file = installation.config().keyring;
  try {
    const auto keys = keyring::Keyring::load(file).describe();
    return {Grade::ok,
            std::format("{} has {} key{}", file.string(), keys.size(), keys.size() == 1 ? "" : "s"),
            {}};
  } catch (const std::exception& error) {
    return {Grade::fault, error.what(),
            std::format("restore {} from its backup, then chmod 600; without it every API key is "
                        "invalid",
                        file.string())};
  }
}

Finding check_certificate(InspectedInstallation& installation) {
  const Config& config = installation.config();
  if (config.tls_certificate.empty()) return {Grade::ok, "TLS is not configured", {}};
  try {
    const auto dates = http::read_certificate(config.tls_certificate, config.tls_key);
    return grade_certificate(dates.begins, dates.ends, system_clock().now());
  } catch (const http::TlsError& error) {
    return {Grade::fault, error.what(),
            "set http.tls_certificate and http.tls_key to a PEM certificate and its private key"};
  }
}

// Returns `place` or its nearest existing parent: the first stored file creates the directory.
std::filesystem::path nearest_existing(std::filesystem::path place) {
  std::error_code ignored;
  while (!std::filesystem::exists(place, ignored) && place.has_parent_path() &&
         place != place.parent_path())
    place = place.parent_path();
  return place;
}

Finding check_storage(InspectedInstallation& installation) {
  const Config& config = installation.config();
  if (!config.s3.endpoint.empty())
    return {Grade::ok,
            std::format("files are stored at {}, which is not contacted", config.s3.endpoint),
            {}};
  const auto directory = std::filesystem::absolute(config.storage_directory);
  const auto place = nearest_existing(directory);
  const auto refuse = [&](std::string_view why) {
    return Finding{Grade::fault,
                   std::format("files cannot be stored in {}: {}: {}", directory.string(),
                               place.string(), why),
                   "set storage.directory to a directory that the service's user may write to"};
  };
  struct stat status{};
  if (::stat(place.c_str(), &status) != 0) return refuse(std::strerror(errno));
  if (!S_ISDIR(status.st_mode)) return refuse("not a directory");
  if (::access(place.c_str(), W_OK | X_OK) != 0) return refuse(std::strerror(errno));
  struct statvfs disk{};
  if (::statvfs(place.c_str(), &disk) != 0) return refuse(std::strerror(errno));
  const auto block = static_cast<std::uint64_t>(disk.f_frsize);
  return grade_space(directory.string(), disk.f_bavail * block, disk.f_blocks * block);
}

// Returns the readiness URL of the private listener, as seen from this machine.
std::string ready_url(const Address& address) {
  std::string host = address.host;
  if (host == "0.0.0.0") host = "127.0.0.1";
  if (host == "[::]" || host == "::") host = "[::1]";
  return std::format("http://{}:{}/ready", host, address.port);
}

std::string troubles_in(const std::string& body) {
  std::vector<std::string> troubles;
  if (const auto document = json::Document::parse(body)) {
    if (const auto list = document->root().member("troubles");
        list && list->type() == json::Type::list) {
      list->for_each([&](std::string_view, json::Value trouble) {
        if (trouble.type() != json::Type::text) return;
        const std::string_view words = trouble.text();
        // Quoted text may be a value that the operator entered. In libpq's messages it may be a
        // password.
        troubles.push_back(words.contains('"') ? connection_trouble(words) : std::string{words});
      });
    }
  }
  return troubles.empty() ? "no reason given" : joined(troubles, "; ");
}

Finding check_service(InspectedInstallation& installation) {
  const Address& address = installation.config().private_listen;
  if (address.port == 0) {
    return {Grade::warn, "private.listen has port 0: the service's port is unknown",
            "set a port in private.listen, such as 127.0.0.1:9090"};
  }
  const std::string url = ready_url(address);
  boost::asio::io_context loop;
  net::HttpClient client{loop, {}};
  const auto answer =
      runtime::run_to_end(loop, client.request({.url = url, .time_limit = kServiceTimeout}));
  if (!answer) {
    return {Grade::warn, std::format("no response at {}", url),
            "start it: shopbell run, or systemctl start shopbell"};
  }
  if (answer->status == 200) return {Grade::ok, std::format("{} reports ready", url), {}};
  if (answer->status == 503) {
    return {Grade::fault,
            std::format("the service runs and is not ready: {}", troubles_in(answer->body)),
            "fix the problems in the other lines; the service becomes ready by itself"};
  }
  return {Grade::warn,
          std::format("{} responds with {}: it is another program", url, answer->status),
          "set another port in private.listen"};
}

// Only reads the topics. A missing topic is no fault: the service creates it at start.
Finding check_kafka(InspectedInstallation& installation) {
  const KafkaConfig& config = installation.config().kafka;
  if (config.brokers.empty()) return {Grade::ok, "Kafka is not configured", {}};
  boost::asio::io_context loop{1};
  std::optional<kafka::Admin> admin;
  try {
    admin.emplace(loop, brokers_of(config));
  } catch (const std::exception& error) {
    return {Grade::fault, error.what(), "install librdkafka1, or correct the settings of [kafka]"};
  }
  try {
    std::vector<std::string> found;
    for (const auto& rules : topic_rules(config)) {
      const auto topic = runtime::run_to_end(loop, admin->describe(rules.name));
      if (!topic) {
        found.push_back(
            std::format("topic {} will be created when the service starts", rules.name));
        continue;
      }
      if (const auto refusal = refusal_of(*topic, rules); !refusal.empty())
        return {Grade::fault, refusal,
                "create the topic as described in docs/kafka.md, or configure another one"};
      if (const auto closed = closed_because(*topic); !closed.empty())
        return {Grade::warn, std::format("topic {}: {}", rules.name, closed),
                "start the missing brokers; until then events go directly to the database"};
      found.push_back(std::format("topic {} accepts events", rules.name));
    }
    return {Grade::ok, joined(found, ", "), {}};
  } catch (const kafka::Error& error) {
    return {Grade::warn, std::format("no broker responds: {}", error.what()),
            "start the brokers, or correct kafka.brokers; until then events go directly to the "
            "database"};
  }
}

constexpr std::array kMachineChecks{
    Check{"configuration", check_configuration},
    Check{"secret files", check_secret_files},
    Check{"owner file", check_owner_file},
    Check{"keyring", check_keyring},
    Check{"certificate", check_certificate},
    Check{"storage", check_storage},
    Check{"service", check_service},
    Check{"kafka", check_kafka},
};

}  // namespace

std::span<const Check> machine_checks() { return kMachineChecks; }

}  // namespace shopbell::app
