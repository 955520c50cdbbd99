#include "tests/proofs/actors/server_clock.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "pg/script.h"

namespace shopbell::proofs {

using namespace std::chrono_literals;

ServerClock::ServerClock(std::string admin_url)
    : admin_url_{std::move(admin_url)},
      thread_{[this](const std::stop_token& stopping) { read(stopping); }} {}

void ServerClock::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void ServerClock::read(const std::stop_token& stopping) {
  std::optional<pg::Script> database;
  while (!stopping.stop_requested()) {
    try {
      if (!database) database.emplace(admin_url_);
      const std::int64_t position = mark();
      readings_.push_back(
          {position, database->query("SELECT clock_timestamp() AS at")[0].instant("at")});
    } catch (const pg::Error&) {  // PostgreSQL is restarting
      database.reset();
    }
    std::this_thread::sleep_for(5ms);
  }
}

Instant ServerClock::after(std::int64_t position) const {
  const auto next = std::ranges::upper_bound(readings_, position, {}, &Reading::position);
  return next == readings_.end() ? Instant::max() : next->at;
}

}  // namespace shopbell::proofs
