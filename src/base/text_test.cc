#include "base/text.h"

#include <gtest/gtest.h>

namespace shopbell {
namespace {

TEST(Text, validates_utf8) {
  EXPECT_TRUE(is_utf8("Grüße 🔔"));
  EXPECT_FALSE(is_utf8("\xc3\x28"));
  EXPECT_FALSE(is_utf8("\xed\xa0\x80"));  // a surrogate
  EXPECT_FALSE(is_utf8("\xc0\xaf"));      // an overlong encoding
  EXPECT_EQ(count_characters("Grüße 🔔"), 7U);
}

TEST(Text, normalizes_to_nfc) {
  EXPECT_EQ(to_nfc("u\xcc\x88"), "ü");
  EXPECT_EQ(to_nfc("plain"), "plain");
  EXPECT_FALSE(to_nfc("\xff"));
}

TEST(Text, validates_names) {
  EXPECT_TRUE(is_name("Bell & Söhne", 12));
  EXPECT_FALSE(is_name("Bell & Söhne", 11));
  for (const char* text : {"", "two\nlines", "\xc2\x85", "\xff"})
    EXPECT_FALSE(is_name(text, 255)) << text;
}

TEST(Text, validates_web_urls) {
  for (const char* url :
       {"https://bell.example", "http://bell.example:8080/a?b=c#d", "https://bell.example/@shop",
        "https://[::1]/", "https://xn--gloeckchen.example/%C3%BC"}) {
    EXPECT_TRUE(is_web_url(url)) << url;
  }
  for (const char* url :
       {"", "bell.example", "ftp://bell.example", "https://", "https:///path", "https://:80/",
        "https://user@bell.example", "https://user:word@bell.example/", "https://be ll.example",
        "https://bell.example/\n", "https://bell.example/<b>"}) {
    EXPECT_FALSE(is_web_url(url)) << url;
  }
  EXPECT_FALSE(is_web_url("https://bell.example/" + std::string(2048, 'x')));
}

TEST(Text, validates_currency_country_locale_and_time_zone) {
  EXPECT_TRUE(is_currency("EUR"));
  EXPECT_FALSE(is_currency("DEM"));  // the German mark is no longer in use
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
