#include "json/writer.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

#include <yyjson.h>

#include "base/text.h"

namespace shopbell::json {

namespace {

using Text = std::unique_ptr<char, decltype(&std::free)>;
using Read = std::unique_ptr<yyjson_doc, decltype(&yyjson_doc_free)>;

// Bytes that a JSON text contains without escaping.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < plain.size(); ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

bool is_plain(char c) { return kPlain[static_cast<unsigned char>(c)]; }

void append_escaped(std::string& json, char c) {
  constexpr std::string_view kNamed = "\"\\\b\f\n\r\t";
  constexpr std::string_view kNames = "\"\\bfnrt";
  constexpr std::string_view kHex = "0123456789ABCDEF";
  json += '\\';
  if (const auto named = kNamed.find(c); named != std::string_view::npos) {
    json += kNames[named];
  } else {
    json += "u00";
    json += kHex[static_cast<unsigned char>(c) >> 4];
    json += kHex[static_cast<unsigned char>(c) & 0x0f];
  }
}

// A number without exponent: -12.50
bool is_plain_number(std::string_view value) {
  if (value.starts_with('-')) value.remove_prefix(1);
  const auto digits = [&] {
    const std::size_t count = std::min(value.find_first_not_of("0123456789"), value.size());
    value.remove_prefix(count);
    return count;
  };
  const bool leading_zero = value.starts_with('0');
  const std::size_t whole = digits();
  if (whole == 0 || (leading_zero && whole > 1)) return false;
  if (value.starts_with('.')) {
    value.remove_prefix(1);
    if (digits() == 0) return false;
  }
  return value.empty();
}

// A value that is already in its only compact form.
bool is_simple(std::string_view value) {
  if (value == "null" || value == "true" || value == "false" || value == "{}" || value == "[]")
    return true;
  if (is_plain_number(value)) return true;
  if (value.size() < 2 || value.front() != '"' || value.back() != '"') return false;
  return std::ranges::all_of(value.substr(1, value.size() - 2), [](char c) {
    return is_plain(c) && static_cast<unsigned char>(c) < 0x80;
  });
}

// Two blanks per level. yyjson's own indentation omits the blanks before raw numbers.
std::string indented(std::string_view json) {
  std::string text;
  std::size_t depth = 0;
  bool quoted = false;
  const auto break_line = [&] { text.append(1, '\n').append(2 * depth, ' '); };
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    const bool opens = !quoted && (c == '{' || c == '[');
    const bool closes = !quoted && (c == '}' || c == ']');
    const bool in_empty = opens && (json[i + 1] == '}' || json[i + 1] == ']');
    if (closes && json[i - 1] != '{' && json[i - 1] != '[') {
      --depth;
      break_line();
    }
    text += c;
    if (c == '"') quoted = !quoted;
    if (quoted && c == '\\') text += json[++i];
    if (opens && !in_empty) ++depth;
    if ((opens && !in_empty) || (!quoted && c == ',')) break_line();
    if (!quoted && c == ':') text += ' ';
  }
  return text;
}

}  // namespace

void append_quoted(std::string& json, std::string_view text) {
  if (!is_utf8(text)) throw std::runtime_error{"cannot write JSON: a text is not UTF-8"};
  json += '"';
  for (auto left = text.begin(); left != text.end();) {
    const auto stop = std::find_if_not(left, text.end(), is_plain);
    json.append(left, stop);
    left = stop;
    if (left != text.end()) append_escaped(json, *left++);
  }
  json += '"';
}

// Writes a comma, except before the first element of a list and after a key.
void Writer::separate() {
  if (json_.empty()) return;
  assert(!open_.empty());
  const char last = json_.back();
  const bool after_key = last == ':';
  assert(open_.back() == ']' || after_key);
  if (!after_key && last != '[') json_ += ',';
}

Writer& Writer::begin(char open, char close) {
  separate();
  json_ += open;
  open_ += close;
  return *this;
}

Writer& Writer::end() {
  assert(!open_.empty() && json_.back() != ':');
  json_ += open_.back();
  open_.pop_back();
  return *this;
}

Writer& Writer::key(std::string_view name) {
  assert(!open_.empty() && open_.back() == '}' && json_.back() != ':');
  if (json_.back() != '{') json_ += ',';
  append_quoted(json_, name);
  json_ += ':';
  return *this;
}

Writer& Writer::text(std::string_view value) {
  separate();
  append_quoted(json_, value);
  return *this;
}

Writer& Writer::integer(std::int64_t value) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.begin(), digits.end(), value).ptr;
  return written({digits.begin(), end});
}

Writer& Writer::json(std::string_view value) {
  if (is_simple(value)) return written(value);
  const Read document{yyjson_read(value.data(), value.size(), YYJSON_READ_NUMBER_AS_RAW),
                      &yyjson_doc_free};
  if (!document) throw std::logic_error{"not JSON: " + std::string{value}};
  std::size_t length = 0;
  const Text text{yyjson_write(document.get(), YYJSON_WRITE_NOFLAG, &length), &std::free};
  if (!text) throw std::bad_alloc{};
  return written({text.get(), length});
}

Writer& Writer::written(std::string_view value) {
  separate();
  json_ += value;
  return *this;
}

std::string Writer::finish(Layout layout) {
  assert(open_.empty() && !json_.empty());
  std::string json = std::exchange(json_, {});
  return layout == Layout::compact ? json : indented(json);
}

}  // namespace shopbell::json
