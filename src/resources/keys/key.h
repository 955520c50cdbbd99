// Token: the API key that a store's backend sends: `sb_live_` or `sb_test_`, 30 random characters
// and a checksum of six. The checksum detects a mistyped or truncated key without a query.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace shopbell::keys {

enum class Mode { live, test };

struct Token {
  Mode mode;
  std::string text;

  static Token create(Mode mode);
  // Returns nullopt when the format or the checksum is wrong.
  static std::optional<Token> parse(std::string_view text);

  // Returns the end of the token, by which lists show the key.
  std::string hint() const { return "…" + text.substr(text.size() - 4); }
};

}  // namespace shopbell::keys
