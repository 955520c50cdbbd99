#include "event_log/read_ahead.h"

#include <gtest/gtest.h>

namespace shopbell::event_log {
namespace {

Stretch five() {
  Stretch stretch{.from = {.groups = {1, 2, 5}, .position = {.tick = 7}},
                  .to = {.tick = 9},
                  .middle = {.tick = 7, .through = 9}};
  for (const std::int64_t id : {11, 12, 15, 16, 20}) {
    Entry entry;
    entry.id = id;
    stretch.entries.push_back(std::move(entry));
  }
  return stretch;
}

std::vector<std::int64_t> ids(const Stretch& stretch) {
  std::vector<std::int64_t> ids;
  for (const auto& entry : stretch.entries) ids.push_back(entry.id);
  return ids;
}

using EventIds = std::vector<std::int64_t>;

TEST(ReadAhead, a_stretch_is_cut_into_pages) {
  Stretch rest = five();
  const Stretch first = rest.cut(2);
  const Position between{.tick = 7, .through = 9, .after_id = 12};
  EXPECT_EQ(ids(first), (EventIds{11, 12}));
  EXPECT_EQ(first.from.position, Position{.tick = 7});
  EXPECT_EQ(first.to, between);
  EXPECT_EQ(ids(rest), (EventIds{15, 16, 20}));
  EXPECT_EQ(rest.from.position, between);
  EXPECT_EQ(rest.to, Position{.tick = 9});
  const Stretch last = rest.cut(3);
  EXPECT_EQ(ids(last), (EventIds{15, 16, 20}));
  EXPECT_EQ(last.from.position, between);
  EXPECT_EQ(last.to, Position{.tick = 9});
  EXPECT_TRUE(rest.entries.empty());
}

TEST(ReadAhead, cutting_an_empty_stretch_returns_its_end) {
  Stretch rest = five();
  rest.entries.clear();
  EXPECT_EQ(rest.cut(2).to, Position{.tick = 9});
}

TEST(ReadAhead, a_read_covers_fewer_lanes_at_the_same_position) {
  const Place read{.groups = {1, 2, 5}, .position = {.tick = 7, .through = 9, .after_id = 3}};
  Place place = read;
  EXPECT_TRUE(read.covers(place));
  place.groups = {2};
  EXPECT_TRUE(read.covers(place));
  place.groups = {2, 3};
  EXPECT_FALSE(read.covers(place));
  place = read;
  place.position.after_id = 4;
  EXPECT_FALSE(read.covers(place));
  place.position = {.tick = 7, .through = 10, .after_id = 3};
  EXPECT_FALSE(read.covers(place));
}

}  // namespace
}  // namespace shopbell::event_log
