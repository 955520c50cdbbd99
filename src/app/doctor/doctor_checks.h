// The doctor's checks. Each is one function and one row of a table, and returns its finding about
// the installation. A check that cannot run reports that, and the other checks still run.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "app/doctor/inspected_installation.h"

namespace shopbell::app {

enum class Grade { ok, warn, fault };

struct Finding {
  Grade grade = Grade::ok;
  std::string found;
  std::string mend;  // how to fix the fault: a command or a setting; empty if ok
};

struct Check {
  std::string_view name;
  Finding (*run)(InspectedInstallation& installation);
};

// Checks of this machine: files, certificate, disk, the running service.
std::span<const Check> machine_checks();
// Checks whether traffic to other machines is encrypted.
std::span<const Check> transport_checks();
// Checks of the PostgreSQL server, the database and the roles.
std::span<const Check> database_checks();

// Functions that grade a measured value as ok, warning or fault.
Finding grade_space(const std::string& place, std::uint64_t free_bytes, std::uint64_t all_bytes);
Finding grade_clock(std::chrono::microseconds ahead);  // `ahead`: the database's clock minus ours
Finding grade_certificate(Instant begins, Instant ends, Instant now);
Finding grade_age(const std::string& database, std::int64_t transactions);
Finding grade_room(std::int64_t room, std::int64_t standing, std::int64_t most);
// True if traffic to the host does not leave this machine: loopback, or a directory of sockets.
bool is_this_machine(std::string_view host);
Finding grade_database_transport(std::string_view hosts, std::string_view sslmode);
Finding grade_s3_transport(std::string_view endpoint);
Finding grade_kafka_transport(const KafkaConfig& kafka);
Finding grade_listener(const Config& config);

// Returns why a connection failed, without the connection string. If libpq cannot parse a string,
// its message repeats the string, including the password.
std::string connection_trouble(std::string_view message);

}  // namespace shopbell::app
