#include "engine/derive.h"

#include <array>
#include <bit>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

namespace shopbell::engine {
namespace {

const Uuid kFirst = *Uuid::parse("019a8412-7c00-7abc-8def-000000000001");
const Uuid kSecond = *Uuid::parse("019a8412-7c00-7abc-8def-000000000002");

Uuid contact(std::uint32_t number) {
  std::array<std::uint8_t, 16> bytes{};
  for (std::size_t i = 0; i < 4; ++i)
    bytes.at(15 - i) = static_cast<std::uint8_t>(number >> (8 * i));
  return std::bit_cast<Uuid>(bytes);
}

TEST(Derive, a_split_follows_its_weights_for_a_million_contacts) {
  constexpr int kContacts = 1'000'000;
  constexpr std::array<std::int64_t, 3> kWeights{50, 30, 20};
  std::array<int, 3> counts{};
  for (int i = 0; i < kContacts; ++i)
    ++counts.at(split_part(1, kFirst, "test", contact(static_cast<std::uint32_t>(i)), kWeights));
  for (std::size_t part = 0; part < 3; ++part)
    EXPECT_NEAR(counts.at(part) * 100.0 / kContacts, static_cast<double>(kWeights.at(part)), 0.1);
}

TEST(Derive, a_split_is_stable_and_depends_on_each_of_its_inputs) {
  constexpr std::array<std::int64_t, 2> kHalves{1, 1};
  constexpr int kContacts = 40'000;
  std::array<int, 3> same{};  // other workflow, other node, other account
  for (int i = 0; i < kContacts; ++i) {
    const Uuid one = contact(static_cast<std::uint32_t>(i));
    const std::size_t part = split_part(1, kFirst, "test", one, kHalves);
    EXPECT_EQ(split_part(1, kFirst, "test", one, kHalves), part);
    same[0] += split_part(1, kSecond, "test", one, kHalves) == part ? 1 : 0;
    same[1] += split_part(1, kFirst, "other", one, kHalves) == part ? 1 : 0;
    same[2] += split_part(2, kFirst, "test", one, kHalves) == part ? 1 : 0;
  }
  // Independent choices agree half of the time; 1 % is four standard deviations.
  for (const int count : same) EXPECT_NEAR(count * 100.0 / kContacts, 50, 1);
}

TEST(Derive, a_part_without_weight_is_never_chosen) {
  constexpr std::array<std::int64_t, 3> kWeights{0, 1, 0};
  for (std::uint32_t i = 0; i < 1000; ++i)
    EXPECT_EQ(split_part(1, kFirst, "test", contact(i), kWeights), 1U);
}

TEST(Derive, ids_are_stable_and_of_version_8) {
  const Instant at = *parse_rfc3339("2026-03-02T10:00:00.123Z");
  const std::array<std::string_view, 2> parts{"message", "1"};
  const Uuid id = derived_id(at, parts);
  EXPECT_EQ(derived_id(at, parts), id);
  EXPECT_EQ(id.to_string(), "019cadfd-897b-844b-941c-7e17611ba6ca");
  EXPECT_EQ(id.bytes()[6] >> 4U, 8);
  EXPECT_EQ(id.bytes()[8] >> 6U, 2);
  std::int64_t milliseconds = 0;
  for (std::size_t i = 0; i < 6; ++i) milliseconds = milliseconds << 8U | id.bytes().at(i);
  EXPECT_EQ(Instant{std::chrono::milliseconds{milliseconds}}, at);
}

TEST(Derive, the_borders_of_the_parts_count) {
  const Instant at{};
  std::set<Uuid> ids;
  for (const auto& parts : {std::array<std::string_view, 2>{"ab", "c"}, {"a", "bc"}, {"abc", ""}})
    ids.insert(derived_id(at, parts));
  EXPECT_EQ(ids.size(), 3U);
}

}  // namespace
}  // namespace shopbell::engine
