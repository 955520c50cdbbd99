#include "kafka/origin.h"

#include <gtest/gtest.h>

namespace shopbell::kafka {
namespace {

TEST(Origin, RoundTrips) {
  const Origin origin{.sender = Uuid::v7(system_clock().now()), .number = 9'000'000'000};
  EXPECT_EQ(Origin::parse(origin.to_text()), origin);
}

TEST(Origin, RejectsOtherTexts) {
  const std::string sender = Uuid::v7(system_clock().now()).to_string();
  EXPECT_TRUE(Origin::parse(sender + " 1"));
  for (const std::string& text :
       {std::string{}, std::string{" "}, sender, sender + " ", sender + " 0", sender + " -1",
        sender + " 1 ", sender + " +1", sender + "  1", sender + " 9223372036854775808",
        std::string{"somebody 1"}})
    EXPECT_FALSE(Origin::parse(text)) << text;
}

}  // namespace
}  // namespace shopbell::kafka
