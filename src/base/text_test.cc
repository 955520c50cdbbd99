#include "base/text.h"

#include <gtest/gtest.h>

namespace shopbell {
namespace {

TEST(Text, knows_utf8) {
  EXPECT_TRUE(is_utf8("Grüße 🔔"));
  EXPECT_FALSE(is_utf8("\xc3\x28"));
  EXPECT_FALSE(is_utf8("\xed\xa0\x80"));  // a surrogate
  EXPECT_FALSE(is_utf8("\xc0\xaf"));      // overlong
  EXPECT_EQ(count_characters("Grüße 🔔"), 7U);
}

TEST(Text, composes) {
  EXPECT_EQ(to_nfc("u\xcc\x88"), "ü");
  EXPECT_EQ(to_nfc("plain"), "plain");
  EXPECT_FALSE(to_nfc("\xff"));
}

TEST(Text, sees_control_characters) {
  EXPECT_FALSE(has_control_characters("Bell & Söhne"));
  EXPECT_TRUE(has_control_characters("two\nlines"));
  EXPECT_TRUE(has_control_characters("\xc2\x85"));
}

TEST(Text, knows_the_codes_a_store_uses) {
  EXPECT_TRUE(is_currency("EUR"));
  EXPECT_FALSE(is_currency("DEM"));  // no longer in use
  EXPECT_FALSE(is_currency("eur"));
  EXPECT_TRUE(is_country("AT"));
  EXPECT_FALSE(is_country("XX"));
  EXPECT_TRUE(is_locale("de-AT"));
  EXPECT_TRUE(is_locale("zh-Hant-TW"));
  EXPECT_FALSE(is_locale("de_AT!"));
  EXPECT_TRUE(is_time_zone("Europe/Vienna"));
  EXPECT_TRUE(is_time_zone("UTC"));
  EXPECT_FALSE(is_time_zone("Europe/Atlantis"));
}

}  // namespace
}  // namespace shopbell
