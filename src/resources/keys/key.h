// ApiKey: the token a store's backend sends. `sb_live_` or `sb_test_`, 30 random characters, and a
// checksum of six, so that a mistyped or cut-off key is recognised without asking the database.
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
  // Nothing when the form or the checksum is wrong.
  static std::optional<Token> parse(std::string_view text);

  // What a list may show of it.
  std::string hint() const { return "…" + text.substr(text.size() - 4); }
};

}  // namespace shopbell::keys
