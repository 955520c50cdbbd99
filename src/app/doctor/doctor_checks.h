// The doctor's checks. Each is one function and one row of a table; it looks at the installation,
// the installation, and returns what it found. One that cannot look says so and keeps none of the
// others from looking.
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
  std::string mend;  // a command or a setting; none when all is well
};

struct Check {
  std::string_view name;
  Finding (*look)(InspectedInstallation& installation);
};

// Of this machine: files, certificate, disk, the running service.
std::span<const Check> machine_checks();
// Of the server, the database and the roles.
std::span<const Check> database_checks();

// What measures mean.
Finding judge_space(const std::string& place, std::uint64_t free_bytes, std::uint64_t all_bytes);
Finding judge_clock(std::chrono::microseconds ahead);  // of the database's clock
Finding judge_certificate(Instant begins, Instant ends, Instant now);
Finding judge_age(const std::string& database, std::int64_t transactions);
Finding judge_room(std::int64_t room, std::int64_t standing, std::int64_t most);

// What was wrong with a connection, without what libpq may repeat of the connection string: it
// shows one that it does not understand as a whole, password and all.
std::string connection_trouble(std::string_view message);

}  // namespace shopbell::app
