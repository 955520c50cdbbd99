#include "base/uuid.h"

#include <set>

#include <gtest/gtest.h>

namespace shopbell {
namespace {

TEST(Uuid, is_version_7_and_sorts_by_time) {
  const Instant now = *parse_rfc3339("2026-11-15T00:00:00Z");
  const Uuid early = Uuid::v7(now);
  const Uuid late = Uuid::v7(now + std::chrono::milliseconds{1});
  EXPECT_LT(early, late);
  EXPECT_LT(early.to_string(), late.to_string());
  EXPECT_EQ(early.to_string()[14], '7');
  EXPECT_TRUE(std::string_view{"89ab"}.contains(early.to_string()[19]));
}

TEST(Uuid, sorts_in_creation_order_within_a_millisecond) {
  const Instant now = system_clock().now();
  Uuid before = Uuid::v7(now);
  for (int i = 0; i < 10000; ++i) {
    const Uuid id = Uuid::v7(now);
    ASSERT_LT(before, id);
    before = id;
  }
}

TEST(Uuid, parses_only_the_canonical_form) {
  const Uuid id = Uuid::v7(system_clock().now());
  const std::string text = id.to_string();
  EXPECT_EQ(Uuid::parse(text), id);
  EXPECT_FALSE(Uuid::parse("019A8543-0000-7000-8000-000000000000"));  // upper case
  EXPECT_FALSE(Uuid::parse("{" + text.substr(1)));
  EXPECT_FALSE(Uuid::parse(text + "0"));
  EXPECT_FALSE(Uuid::parse(""));
  EXPECT_FALSE(Uuid::parse("019a8543x0000-7000-8000-000000000000"));
}

TEST(Uuid, is_unique) {
  std::set<Uuid> seen;
  const Instant now = system_clock().now();
  for (int i = 0; i < 100'000; ++i) EXPECT_TRUE(seen.insert(Uuid::v7(now)).second);
}

TEST(AccountId, is_positive_and_unique) {
  std::set<std::int64_t> seen;
  for (int i = 0; i < 10'000; ++i) {
    const auto id = random_account_id();
    EXPECT_GT(id, 0);
    EXPECT_TRUE(seen.insert(id).second);
  }
}

}  // namespace
}  // namespace shopbell
