#include "resources/keys/key.h"

#include <gtest/gtest.h>

namespace shopbell::keys {
namespace {

TEST(Token, a_wrong_character_fails_the_checksum) {
  for (const Mode mode : {Mode::live, Mode::test}) {
    const Token token = Token::create(mode);
    ASSERT_TRUE(Token::parse(token.text)) << token.text;
    EXPECT_EQ(Token::parse(token.text)->mode, mode);
    for (std::size_t i = 0; i < token.text.size(); ++i) {
      std::string mistyped = token.text;
      mistyped[i] = mistyped[i] == 'x' ? 'y' : 'x';
      EXPECT_FALSE(Token::parse(mistyped)) << i;
    }
  }
}

TEST(Token, of_another_format_is_refused) {
  const std::string text = Token::create(Mode::live).text;
  for (const std::string& other :
       {std::string{}, text.substr(0, 20), text + "0", " " + text, "sk_live_" + text.substr(8)}) {
    EXPECT_FALSE(Token::parse(other)) << other;
  }
}

TEST(Token, hint_shows_only_the_end) {
  const Token token = Token::create(Mode::live);
  EXPECT_EQ(token.hint(), "…" + token.text.substr(token.text.size() - 4));
}

}  // namespace
}  // namespace shopbell::keys
