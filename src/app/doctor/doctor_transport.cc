// The doctor's checks of connections to other machines: they should be encrypted.
#include <algorithm>
#include <array>
#include <format>
#include <ranges>

#include "app/doctor/doctor_checks.h"
#include "base/ip.h"
#include "pg/script.h"

namespace shopbell::app {

namespace {

std::string_view without_brackets(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']')) return host.substr(1, host.size() - 2);
  return host;
}

// Splits off the port: "kafka-1:9092", "[::1]:9092".
std::string_view host_of(std::string_view host_port) {
  return host_port.substr(0, host_port.rfind(':'));
}

// Splits the host from a URL: "http://s3.example:7070/path".
std::string_view host_of_url(std::string_view url) {
  url.remove_prefix(std::min(url.size(), url.find("://") + 3));
  url = url.substr(0, url.find('/'));
  return url.ends_with(']') || !url.contains(':') ? url : host_of(url);
}

Finding check_database_transport(InspectedInstallation& installation) {
  const Config& config = installation.config();
  Finding worst;
  for (const auto* url : {&config.database_api, &config.database_worker, &config.database_reader}) {
    const pg::Login login = pg::read_login(*url);
    Finding finding = grade_database_transport(login.host, login.sslmode);
    if (worst.found.empty() || finding.grade > worst.grade) worst = std::move(finding);
  }
  return worst;
}

Finding check_s3_transport(InspectedInstallation& installation) {
  return grade_s3_transport(installation.config().s3.endpoint);
}

Finding check_kafka_transport(InspectedInstallation& installation) {
  return grade_kafka_transport(installation.config().kafka);
}

Finding check_listener(InspectedInstallation& installation) {
  return grade_listener(installation.config());
}

constexpr std::array kTransportChecks{
    Check{"database transport", check_database_transport},
    Check{"S3 transport", check_s3_transport},
    Check{"kafka transport", check_kafka_transport},
    Check{"public listener", check_listener},
};

}  // namespace

std::span<const Check> transport_checks() { return kTransportChecks; }

bool is_this_machine(std::string_view host) {
  host = without_brackets(host);
  return host.empty() || host.starts_with('/') || host == "localhost" ||
         address_in(host, "127.0.0.0/8") || address_in(host, "::1/128");
}

Finding grade_database_transport(std::string_view hosts, std::string_view sslmode) {
  const bool local = std::ranges::all_of(hosts | std::views::split(','), [](const auto& host) {
    return is_this_machine(std::string_view{host});
  });
  if (local) return {Grade::ok, "the database is on this machine", {}};
  if (sslmode == "verify-full")
    return {Grade::ok, std::format("TLS to {}, whose certificate is verified", hosts), {}};
  if (sslmode == "require" || sslmode == "verify-ca")
    return {Grade::ok, std::format("TLS to {}; verify-full would verify its name too", hosts), {}};
  return {Grade::warn,
          std::format("sslmode {} allows connections to {} without TLS",
                      sslmode.empty() ? "is not set, which" : sslmode, hosts),
          "add sslmode=verify-full and sslrootcert=FILE to the connection strings in [database]"};
}

Finding grade_s3_transport(std::string_view endpoint) {
  if (endpoint.empty()) return {Grade::ok, "S3 is not configured", {}};
  if (endpoint.starts_with("https://")) return {Grade::ok, std::format("TLS to {}", endpoint), {}};
  if (is_this_machine(host_of_url(endpoint)))
    return {Grade::ok, "the S3 server is on this machine", {}};
  return {Grade::warn, std::format("files go to {} without TLS", endpoint),
          "use an https:// URL in storage.s3_endpoint, and storage.s3_ca_file for a private CA"};
}

Finding grade_kafka_transport(const KafkaConfig& kafka) {
  if (kafka.brokers.empty()) return {Grade::ok, "Kafka is not configured", {}};
  if (kafka.tls) return {Grade::ok, "TLS to the brokers", {}};
  const auto remote = std::ranges::find_if(
      kafka.brokers, [](const std::string& broker) { return !is_this_machine(host_of(broker)); });
  if (remote == kafka.brokers.end()) return {Grade::ok, "the brokers are on this machine", {}};
  return {Grade::warn, std::format("events go to {} without TLS", *remote),
          "set kafka.tls = true, and kafka.tls_ca_file for a private CA"};
}

Finding grade_listener(const Config& config) {
  const std::string& host = config.listen.host;
  if (!config.tls_certificate.empty()) return {Grade::ok, "TLS is configured", {}};
  if (is_this_machine(host)) return {Grade::ok, std::format("listens on {} only", host), {}};
  if (!config.trusted_proxies.empty())
    return {Grade::ok, "without TLS, behind the proxies in http.trusted_proxies", {}};
  return {Grade::warn, std::format("API keys are sent to {} without TLS", host),
          "set http.tls_certificate and http.tls_key, or listen on 127.0.0.1 behind a TLS proxy"};
}

}  // namespace shopbell::app
