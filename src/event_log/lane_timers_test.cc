#include "event_log/lane_timers.h"

#include <gtest/gtest.h>

namespace shopbell::event_log {
namespace {

constexpr std::int16_t kGroup = 3;
const Instant kDue{std::chrono::sys_days{std::chrono::year{2026} / 3 / 2}};
constexpr std::chrono::microseconds kStep{1};

Timer timer_at(Instant due_at) { return {.group = kGroup, .due_at = due_at, .owner = {}}; }

TEST(LaneTimers, a_timer_is_armed_behind_those_that_fired) {
  LaneTimers timers;
  const std::vector<std::int16_t> groups{kGroup};
  timers.marks(groups, std::nullopt);
  EXPECT_EQ(timers.arm_from({}).at(kGroup), Instant{} + kStep);
  timers.note_fired({timer_at(kDue)}, {});
  EXPECT_EQ(timers.arm_from({}).at(kGroup), kDue + kStep);
}

// Both are written by one transaction, and the mark moves to the last one that fired.
TEST(LaneTimers, a_timer_is_armed_behind_those_that_fire_with_it) {
  LaneTimers timers;
  const std::vector<std::int16_t> groups{kGroup};
  timers.marks(groups, std::nullopt);
  const std::vector<Timer> firing{timer_at(kDue + kStep), timer_at(kDue)};
  EXPECT_EQ(timers.arm_from(firing).at(kGroup), kDue + 2 * kStep);
}

}  // namespace
}  // namespace shopbell::event_log
