#include "http/wire/path.h"

#include <gtest/gtest.h>

namespace shopbell::http {
namespace {

using Segments = std::vector<std::string>;

TEST(Path, is_split_first_and_decoded_after) {
  EXPECT_EQ(split_path("/contacts/email/a%2Fb+c%40x.at")->segments,
            (Segments{"contacts", "email", "a/b+c@x.at"}));
  EXPECT_EQ(split_path("/a/%252F")->segments, (Segments{"a", "%2F"}));  // decoded once, not twice
  EXPECT_TRUE(split_path("/store/")->trailing_slash);
  EXPECT_FALSE(split_path("/store")->trailing_slash);
  EXPECT_TRUE(split_path("/")->segments.empty());
}

TEST(Path, with_an_invalid_segment_is_refused) {
  for (const char* raw : {"", "store", "//", "//store/", "/store//", "/./store/", "/x/../store/",
                          "/%2e%2e/store/", "/%2E/", "/%00", "/%zz", "/%4", "/%", "/%ff", "/a%00b",
                          "*", "/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17"}) {
    EXPECT_FALSE(split_path(raw)) << raw;
  }
}

TEST(Query, is_decoded_like_a_form) {
  const auto pairs = split_query("a=1&b=x%20y+z&flag&&c=%26");
  ASSERT_TRUE(pairs);
  EXPECT_EQ(*pairs, (std::vector<std::pair<std::string, std::string>>{
                        {"a", "1"}, {"b", "x y z"}, {"flag", ""}, {"c", "&"}}));
  EXPECT_FALSE(split_query("a=%"));
  EXPECT_TRUE(split_query("")->empty());
}

}  // namespace
}  // namespace shopbell::http
