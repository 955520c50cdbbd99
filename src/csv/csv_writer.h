// CSV out: cells to rows, quoted only where a reader would misunderstand them. What is written and
// read again is the same: a text that is empty is quoted, nothing at all is not.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace shopbell::csv {

// The unquoted cell by which an import clears a value.
inline constexpr std::string_view kClear = "\\N";

enum class Formulas {
  plain,    // texts as they are
  guarded,  // a spreadsheet shows every text instead of running it
};

struct Style {
  char delimiter = ',';
  Formulas formulas = Formulas::plain;
  std::string_view null;  // of a cell without a value: nothing, or kClear
  std::string_view line_end = "\r\n";
};

// A text that a spreadsheet takes for a formula: it begins with = + - @, a tab, a CR or a NUL, and
// is not simply a number with a sign.
bool is_formula(std::string_view text);

class Writer {
 public:
  // Appends to `out`, which whoever owns it may empty between any two calls.
  Writer(std::string& out, Style style);

  void cell(std::string_view text);
  void null_cell();
  // A row has at least one cell. One that has no value and is alone is written as an empty text,
  // for a blank line would be no row.
  void end_row();

  void row(std::span<const std::optional<std::string_view>> cells);

 private:
  void begin_cell();
  bool needs_quotes(std::string_view text) const;
  void double_quotes(std::string_view text);

  std::string& out_;
  const Style style_;
  std::size_t columns_ = 0;
  bool blank_ = true;  // nothing is written of the row yet
};

}  // namespace shopbell::csv
