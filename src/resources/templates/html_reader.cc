#include "resources/templates/html_reader.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>

#include "base/text.h"

namespace shopbell::templates {

namespace {

using Entity = std::pair<std::string_view, std::string_view>;

// The entities that mails use; the others are rare.
constexpr std::array kEntities{
    Entity{"amp", "&"},    Entity{"apos", "'"},  Entity{"auml", "ä"},   Entity{"Auml", "Ä"},
    Entity{"bull", "•"},   Entity{"copy", "©"},  Entity{"eacute", "é"}, Entity{"egrave", "è"},
    Entity{"euro", "€"},   Entity{"gt", ">"},    Entity{"hellip", "…"}, Entity{"laquo", "«"},
    Entity{"ldquo", "“"},  Entity{"lsquo", "‘"}, Entity{"lt", "<"},     Entity{"mdash", "—"},
    Entity{"middot", "·"}, Entity{"nbsp", " "},  Entity{"ndash", "–"},  Entity{"ouml", "ö"},
    Entity{"Ouml", "Ö"},   Entity{"pound", "£"}, Entity{"quot", "\""},  Entity{"raquo", "»"},
    Entity{"rdquo", "”"},  Entity{"reg", "®"},   Entity{"rsquo", "’"},  Entity{"shy", ""},
    Entity{"szlig", "ß"},  Entity{"times", "×"}, Entity{"trade", "™"},  Entity{"uuml", "ü"},
    Entity{"Uuml", "Ü"},   Entity{"zwj", ""},    Entity{"zwnj", ""},
};
constexpr std::size_t kEntityBytesMax = 10;

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'; }

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

void append_character(std::string& text, char32_t character) {
  if (character < 0x80) {
    text += static_cast<char>(character);
    return;
  }
  const auto next = [&](int shift) {
    text += static_cast<char>(0x80 | ((character >> shift) & 0x3f));
  };
  if (character < 0x800) {
    text += static_cast<char>(0xc0 | (character >> 6));
  } else if (character < 0x10000) {
    text += static_cast<char>(0xe0 | (character >> 12));
    next(6);
  } else {
    text += static_cast<char>(0xf0 | (character >> 18));
    next(12);
    next(6);
  }
  next(0);
}

// "#228" or "#xe4"; nullopt if it is no character. Invisible ones become nothing or a space.
std::optional<std::string> numeric_entity(std::string_view name) {
  const bool hexadecimal = name.size() > 1 && (name[1] == 'x' || name[1] == 'X');
  const std::string_view digits = name.substr(hexadecimal ? 2 : 1);
  std::uint32_t number = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number, hexadecimal ? 16 : 10);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  const bool is_surrogate = number >= 0xd800 && number <= 0xdfff;
  if (number == 0 || number > 0x10ffff || is_surrogate) return std::nullopt;
  if (number == 0xa0) return " ";
  if (number == 0xad || (number >= 0x200b && number <= 0x200d)) return "";
  std::string text;
  append_character(text, number);
  return text;
}

std::optional<std::string> entity(std::string_view name) {
  if (name.starts_with('#')) return numeric_entity(name);
  const auto found = std::ranges::find(kEntities, name, &Entity::first);
  if (found == kEntities.end()) return std::nullopt;
  return std::string{found->second};
}

}  // namespace

std::string without_entities(std::string_view html) {
  std::string text;
  for (std::size_t at = 0; at < html.size();) {
    const std::size_t start = std::min(html.find('&', at), html.size());
    text += html.substr(at, start - at);
    if (start == html.size()) break;
    const std::size_t end = html.substr(start, kEntityBytesMax + 2).find(';');
    const auto found =
        end == std::string_view::npos ? std::nullopt : entity(html.substr(start + 1, end - 1));
    text += found.value_or("&");
    at = start + (found ? end + 1 : 1);
  }
  return text;
}

const std::string* Tag::attribute(std::string_view attribute_name) const {
  for (const auto& [known, value] : attributes)
    if (known == attribute_name) return &value;
  return nullptr;
}

std::optional<HtmlPart> HtmlReader::next() {
  while (!at_end()) {
    const std::string_view rest = html_.substr(at_);
    const bool opens = rest.size() > 1 && is_letter(rest[1]);
    const bool closes = rest.size() > 2 && rest[1] == '/' && is_letter(rest[2]);
    if (rest.front() == '<' && (opens || closes)) return HtmlPart{.tag = read_tag(), .text = {}};
    if (rest.front() == '<' && skip_declaration()) continue;
    const std::size_t end = std::min(html_.find('<', at_ + 1), html_.size());
    HtmlPart part{.tag = {}, .text = without_entities(html_.substr(at_, end - at_))};
    at_ = end;
    return part;
  }
  return std::nullopt;
}

void HtmlReader::skip_raw(std::string_view name) {
  while (!at_end()) {
    at_ = std::min(html_.find("</", at_), html_.size());
    const std::string_view found = html_.substr(std::min(at_ + 2, html_.size()), name.size());
    if (at_end() || lower_ascii(found) == name) return;
    at_ += 2;
  }
}

bool HtmlReader::skip_declaration() {
  const std::string_view rest = html_.substr(at_);
  std::string_view end;
  if (rest.starts_with("<!--")) {
    end = "-->";
  } else if (rest.starts_with("<!") || rest.starts_with("<?") || rest.starts_with("</")) {
    end = ">";
  } else {
    return false;
  }
  const std::size_t found = html_.find(end, at_ + 2);
  at_ = found == std::string_view::npos ? html_.size() : found + end.size();
  return true;
}

Tag HtmlReader::read_tag() {
  Tag tag;
  ++at_;
  tag.closes = html_[at_] == '/';
  if (tag.closes) ++at_;
  while (!at_end() && !is_space(html_[at_]) && html_[at_] != '>' && html_[at_] != '/')
    tag.name += html_[at_++];
  tag.name = lower_ascii(tag.name);
  for (;;) {
    skip_spaces();
    if (at_end() || html_[at_] == '>') break;
    if (html_[at_] == '/') {
      ++at_;
    } else {
      tag.attributes.push_back(read_attribute());
    }
  }
  if (!at_end()) ++at_;
  return tag;
}

std::pair<std::string, std::string> HtmlReader::read_attribute() {
  const auto ends_name = [](char c) { return is_space(c) || c == '=' || c == '>' || c == '/'; };
  std::string name;
  do {  // a name may start with `=`
    name += html_[at_++];
  } while (!at_end() && !ends_name(html_[at_]));
  skip_spaces();
  std::string value;
  if (!at_end() && html_[at_] == '=') {
    ++at_;
    skip_spaces();
    const char quote = at_end() ? ' ' : html_[at_];
    if (quote == '"' || quote == '\'') {
      const std::size_t end = std::min(html_.find(quote, ++at_), html_.size());
      value = html_.substr(at_, end - at_);
      at_ = std::min(end + 1, html_.size());
    } else {
      while (!at_end() && !is_space(html_[at_]) && html_[at_] != '>') value += html_[at_++];
    }
  }
  return {lower_ascii(name), without_entities(value)};
}

void HtmlReader::skip_spaces() {
  while (!at_end() && is_space(html_[at_])) ++at_;
}

}  // namespace shopbell::templates
