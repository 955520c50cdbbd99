#include "resources/runs/run.h"

#include <gtest/gtest.h>

namespace shopbell::runs {
namespace {

TEST(RunTrail, has_a_step_for_each_line) {
  const auto steps = steps_of("day\t\t1000000\tstart\nday\tnext\t2500000\ttimer\n");
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].node, "day");
  EXPECT_FALSE(steps[0].edge);
  EXPECT_EQ(steps[0].at, Instant{std::chrono::seconds{1}});
  EXPECT_EQ(steps[1].edge, "next");
  EXPECT_EQ(steps[1].at, Instant{std::chrono::milliseconds{2500}});
  EXPECT_EQ(steps[1].cause, "timer");
  EXPECT_TRUE(steps_of("").empty());
}

TEST(RunTrail, that_was_cut_off_leaves_out_its_first_line) {
  std::string trail = "y\tnext\t1\ttimer\n";
  while (trail.size() < kTrailCharacters) trail += "mark\t\t2\ttimer\n";
  for (const auto& step : steps_of(trail)) EXPECT_EQ(step.node, "mark");
}

TEST(RunId, begins_with_a_time) {
  const Instant now{std::chrono::milliseconds{1'772'445'600'123}};
  const Uuid id = Uuid::v7(now);
  EXPECT_EQ(time_of(id), now);
  EXPECT_LT(lowest_id(id), id);
  EXPECT_EQ(time_of(lowest_id(id)), now);
}

}  // namespace
}  // namespace shopbell::runs
