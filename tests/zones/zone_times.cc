// Converts times for tests/zones/compare. Reads lines "ZONE WHAT SECONDS", one conversion each, and
// prints the result in seconds. WHAT is `instant` (of a local time), `local` (time of an instant)
// or `day` (the instant a calendar day after an instant).
#include <cstdint>
#include <iostream>
#include <string>

#include "engine/local_time.h"

int main() {
  namespace engine = shopbell::engine;
  using std::chrono::microseconds;
  using std::chrono::seconds;
  const auto whole_seconds = [](auto time) {
    return std::chrono::floor<seconds>(time).time_since_epoch().count();
  };
  std::string name;
  std::string what;
  std::int64_t number = 0;
  while (std::cin >> name >> what >> number) {
    const engine::Zone zone = std::chrono::locate_zone(name);  // throws if there is none
    const microseconds time = seconds{number};
    if (what == "instant") {
      std::cout << whole_seconds(engine::instant_of(zone, engine::LocalTime{time}));
    } else if (what == "local") {
      std::cout << whole_seconds(engine::local_of(zone, shopbell::Instant{time}));
    } else {
      std::cout << whole_seconds(
          engine::plus(zone, shopbell::Instant{time}, shopbell::Duration{.days = 1}));
    }
    std::cout << '\n';
  }
}
