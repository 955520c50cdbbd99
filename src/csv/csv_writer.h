// CSV writer: quotes cells only where necessary. Its output round-trips: an empty text is quoted, a
// missing value is not.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace shopbell::csv {

// An unquoted cell with this text clears a value in an import.
inline constexpr std::string_view kClear = "\\N";

enum class Formulas {
  plain,    // writes texts unchanged
  guarded,  // escapes formulas, so that a spreadsheet shows them and does not run them
};

struct Style {
  char delimiter = ',';
  Formulas formulas = Formulas::plain;
  std::string_view null;  // text of a cell without a value: empty, or kClear
  std::string_view line_end = "\r\n";
};

// True for a text that a spreadsheet may run as a formula: it starts with = + - @, tab, CR or NUL
// and is not just a signed number.
bool is_formula(std::string_view text);

class Writer {
 public:
  // Appends to `out`. The caller may empty `out` between calls.
  Writer(std::string& out, Style style);

  void cell(std::string_view text);
  void null_cell();
  // A row must have at least one cell. A single cell without a value is written as an empty text,
  // because readers skip blank lines.
  void end_row();

  void row(std::span<const std::optional<std::string_view>> cells);

 private:
  void begin_cell();
  bool needs_quotes(std::string_view text) const;
  void double_quotes(std::string_view text);

  std::string& out_;
  const Style style_;
  std::size_t columns_ = 0;
  bool blank_ = true;  // the row has no text yet
};

}  // namespace shopbell::csv
