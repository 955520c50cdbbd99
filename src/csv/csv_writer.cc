#include "csv/csv_writer.h"

#include <algorithm>
#include <cassert>

#include "csv/csv_reader.h"

namespace shopbell::csv {

using namespace std::string_view_literals;

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Removes leading digits; false when there are none.
bool take_digits(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, is_digit);
  const auto count = static_cast<std::size_t>(end - text.begin());
  text.remove_prefix(count);
  return count != 0;
}

// -12.5, +4930123456, -1e-7: a signed number cannot contain a formula.
bool is_signed_number(std::string_view text) {
  if (!text.starts_with('-') && !text.starts_with('+')) return false;
  text.remove_prefix(1);
  if (!take_digits(text)) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (!take_digits(text)) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    if (!take_digits(text)) return false;
  }
  return text.empty();
}

}  // namespace

bool is_formula(std::string_view text) {
  return !text.empty() && "=+-@\t\r\0"sv.contains(text.front()) && !is_signed_number(text);
}

Writer::Writer(std::string& out, Style style) : out_(out), style_(style) {
  assert(is_delimiter(style.delimiter));
}

void Writer::cell(std::string_view text) {
  begin_cell();
  blank_ = false;
  const bool guard = style_.formulas == Formulas::guarded && is_formula(text);
  const bool quotes = needs_quotes(text);
  if (quotes) out_ += '"';
  if (guard) out_ += '\'';
  if (quotes) {
    double_quotes(text);
    out_ += '"';
  } else {
    out_ += text;
  }
}

void Writer::null_cell() {
  begin_cell();
  out_ += style_.null;
  if (!style_.null.empty()) blank_ = false;
}

void Writer::end_row() {
  assert(columns_ != 0);
  if (columns_ == 1 && blank_) out_ += R"("")";
  out_ += style_.line_end;
  columns_ = 0;
  blank_ = true;
}

void Writer::row(std::span<const std::optional<std::string_view>> cells) {
  for (const auto& text : cells) {
    if (text) {
      cell(*text);
    } else {
      null_cell();
    }
  }
  end_row();
}

void Writer::begin_cell() {
  if (columns_ != 0) out_ += style_.delimiter;
  ++columns_;
}

// Without quotes an empty text and \N have another meaning, and a BOM at the start of a file would
// be skipped.
bool Writer::needs_quotes(std::string_view text) const {
  if (text.empty() || text == kClear || text.starts_with("\xEF\xBB\xBF")) return true;
  return std::ranges::any_of(
      text, [&](char c) { return c == style_.delimiter || c == '"' || c == '\n' || c == '\r'; });
}

void Writer::double_quotes(std::string_view text) {
  for (std::size_t quote = text.find('"'); quote != text.npos; quote = text.find('"')) {
    out_ += text.substr(0, quote + 1);
    out_ += '"';
    text.remove_prefix(quote + 1);
  }
  out_ += text;
}

}  // namespace shopbell::csv
