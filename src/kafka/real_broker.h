// The broker that tools/services started, for the tests that run against it.
#pragma once

#include <cstdlib>
#include <fstream>
#include <string>

#include "kafka/client.h"

namespace shopbell::kafka {

inline std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The broker's listener without TLS and authentication.
inline Settings real_broker() { return {.brokers = {from_environment("SHOPBELL_KAFKA_BROKERS")}}; }

// The broker's listener with TLS and SASL.
inline Settings safe_broker() {
  const std::string home = from_environment("SHOPBELL_SERVICES") + "/kafka";
  Settings settings{.brokers = {from_environment("SHOPBELL_SAFE_KAFKA")},
                    .tls = true,
                    .ca_file = home + "/ca.pem",
                    .sasl_mechanism = "SCRAM-SHA-512",
                    .user = "shopbell"};
  std::ifstream{home + "/secret"} >> settings.password;
  return settings;
}

}  // namespace shopbell::kafka
