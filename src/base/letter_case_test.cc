#include "base/letter_case.h"

#include <gtest/gtest.h>

namespace shopbell {
namespace {

TEST(LetterCase, maps_ascii_and_unicode) {
  EXPECT_EQ(upper_case("aZ1-"), "AZ1-");
  EXPECT_EQ(lower_case("aZ1-"), "az1-");
  EXPECT_EQ(upper_case("straße äé"), "STRASSE ÄÉ");
  EXPECT_EQ(lower_case("ΟΔΟΣ İ"), "οδος i̇");  // the sigma at the end of a word has its own form
  EXPECT_EQ(upper_case(""), "");
}

}  // namespace
}  // namespace shopbell
