#include "base/base64.h"

#include <gtest/gtest.h>

namespace shopbell {
namespace {

std::string encoded(std::string_view text) {
  return to_base64({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

TEST(Base64, matches_the_vectors_of_the_rfc) {
  EXPECT_EQ(encoded(""), "");
  EXPECT_EQ(encoded("f"), "Zg==");
  EXPECT_EQ(encoded("fo"), "Zm8=");
  EXPECT_EQ(encoded("foo"), "Zm9v");
  EXPECT_EQ(encoded("foobar"), "Zm9vYmFy");
}

TEST(Base64, round_trips) {
  for (const char* text : {"", "f", "fo", "foo", "foobar"}) {
    const auto decoded = from_base64(encoded(text));
    ASSERT_TRUE(decoded) << text;
    EXPECT_EQ(std::string(decoded->begin(), decoded->end()), text);
  }
}

TEST(Base64, rejects_texts_that_are_not_canonical) {
  for (const char* text : {"Zg", "Zg=", "Z", "Zm9v ", " Zm9v", "Zm9v\n", "Zm-v", "====", "Zh=="})
    EXPECT_FALSE(from_base64(text)) << text;
}

}  // namespace
}  // namespace shopbell
