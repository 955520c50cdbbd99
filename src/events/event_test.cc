#include "events/event.h"

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "events/queries.h"

namespace shopbell::events {
namespace {

const Uuid kContact = *Uuid::parse("019a8412-7c00-7abc-8def-0123456789ab");

// Rows store their lane permanently, so these values must never change.
TEST(Lane, is_the_first_ten_bits_of_the_hash) {
  EXPECT_EQ(lane_of(4711, kContact), 804);
  EXPECT_EQ(lane_of(0x7fff'ffff'ffff'ffff, kContact), 324);
  EXPECT_EQ(lane_of(4711, Uuid{}), 999);
}

TEST(Lane, spreads_contacts_evenly) {
  constexpr int kPerLane = 100;
  std::array<int, 1024> contacts{};
  for (int i = 0; i < 1024 * kPerLane; ++i) {
    const auto lane = lane_of(4711, Uuid::v7(system_clock().now()));
    ASSERT_GE(lane, 0);
    ASSERT_LT(lane, 1024);
    ++contacts[static_cast<std::size_t>(lane)];
  }
  const auto [least, most] = std::ranges::minmax(contacts);
  EXPECT_GT(least, kPerLane / 3);  // six standard deviations are 60
  EXPECT_LT(most, kPerLane * 5 / 3);
}

TEST(Event, is_one_statement_of_the_group) {
  pg::Group effect;
  append(effect, 4711,
         {.uid = kContact,
          .lane = 7,
          .kind = "contact.deleted",
          .occurred_at = *parse_rfc3339("2026-11-15T02:04:25.123Z"),
          .trigger = Trigger::none,
          .payload = "{}"});
  ASSERT_EQ(effect.statements().size(), 1U);
  const pg::Statement& statement = effect.statements()[0];
  EXPECT_EQ(statement.query, &sql::append_event);
  const std::vector<pg::Parameter> expected{"4711",
                                            kContact.to_string(),
                                            "7",
                                            std::nullopt,
                                            std::nullopt,
                                            std::nullopt,
                                            "contact.deleted",
                                            "1",
                                            "2026-11-15T02:04:25.123000Z",
                                            "none",
                                            "0",
                                            std::nullopt,
                                            "api",
                                            std::nullopt,
                                            "{}"};
  EXPECT_EQ(statement.parameters, expected);
}

}  // namespace
}  // namespace shopbell::events
