#include "liquid/escape.h"

#include <array>
#include <utility>

namespace shopbell::liquid {

namespace {

constexpr std::array<std::pair<char, std::string_view>, 5> kEntities{
    {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&#34;"}, {'\'', "&#39;"}}};

std::string_view entity_of(char c) {
  for (const auto& [character, entity] : kEntities)
    if (character == c) return entity;
  return {};
}

// True for the five characters that have an entity.
constexpr std::array<bool, 256> kEscaped = [] {
  std::array<bool, 256> escaped{};
  for (const auto& [character, entity] : kEntities)
    escaped[static_cast<unsigned char>(character)] = true;
  return escaped;
}();

}  // namespace

void append_escaped(std::string& html, std::string_view text) {
  std::size_t plain = 0;  // start of the part that needs no escaping
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!kEscaped[static_cast<unsigned char>(text[i])]) continue;
    html += text.substr(plain, i - plain);
    html += entity_of(text[i]);
    plain = i + 1;
  }
  html += text.substr(plain);
}

std::string unescaped(std::string_view html) {
  std::string text;
  while (!html.empty()) {
    std::size_t length = 1;
    char character = html[0];
    if (character == '&') {
      for (const auto& [plain, entity] : kEntities) {
        if (!html.starts_with(entity)) continue;
        character = plain;
        length = entity.size();
        break;
      }
    }
    text += character;
    html.remove_prefix(length);
  }
  return text;
}

}  // namespace shopbell::liquid
