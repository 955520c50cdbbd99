// A streaming CSV parser (RFC 4180 and common variants): takes blocks, returns rows with their
// positions in the file, for error reports and for resuming. Memory is bounded by the limits: of a
// row that is too long only the position is kept.
//
// Beyond the RFC: the caller chooses the delimiter; a line ends with LF, CRLF or a lone CR; blank
// lines and a BOM at the start of the file are skipped. A quote inside an unquoted cell is an
// ordinary character.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"

namespace shopbell::csv {

// True for , ; tab and |
bool is_delimiter(char c);

// A position in the file. A new reader can resume at the start of any row.
struct Place {
  std::uint64_t offset = 0;  // offset in bytes
  std::uint64_t line = 1;    // line breaks inside quotes count too
  bool operator==(const Place&) const = default;
};

struct ReadLimits {
  std::size_t cell_bytes = limits::kCsvCellBytes;  // maximum size of a cell's unescaped text
  std::size_t row_bytes = limits::kCsvRowBytes;    // maximum size of a raw row without its line end
  std::size_t columns = limits::kCsvColumns;
};

enum class FaultCode {
  unclosed_quote,    // the file ends inside quotes
  row_too_long,      // the row is too long, so its raw text is not kept
  text_after_quote,  // neither a delimiter nor a line end follows the closing quote
  cell_too_long,
  too_many_columns,
  nul_byte,
  invalid_utf8,
};
std::string_view name_of(FaultCode code);

struct Fault {
  FaultCode code;
  std::uint64_t offset;  // position of the offending byte, or start of the cell or row
  std::size_t column;    // column number, from 0
  bool operator==(const Fault&) const = default;
};

struct Cell {
  std::string_view text;
  bool quoted = false;  // "" is an empty text, an empty unquoted cell is no value
  bool operator==(const Cell&) const = default;
};

// One row of the file. Its views are valid until the next call of the reader.
struct Row {
  Place start;
  Place end;                    // position after the line end
  std::string_view raw;         // the row as in the file, without the line end
  std::span<const Cell> cells;  // empty when there is a fault
  std::optional<Fault> fault;   // the row's first fault; later rows are not affected
};

class Reader {
 public:
  explicit Reader(char delimiter, ReadLimits limits = {}, Place start = {});

  // Adds the next bytes of the file. They must stay valid until next() returns nullptr; only then
  // call feed() again or finish().
  void feed(std::string_view block);
  void finish();

  // The next row; nullptr when another block is needed or the file has ended.
  const Row* next();

 private:
  enum class State { cell_start, unquoted, quoted, closing_quote, carriage_return };
  struct Span {  // a cell in the row's text, without its quotes
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t doubled = 0;  // number of escaped quotes ("")
    bool quoted = false;
  };

  std::string_view without_bom(std::string_view block);
  void put_back_bom();
  bool scan();  // moves past the row's line end; false when the block ends first
  bool scan_unquoted();
  void scan_quoted();
  bool leave_closing_quote();
  bool end_cell_at_mark();
  void end_cell();
  void end_last_row();
  void count_breaks(const char* from, const char* to);
  void carry();
  void start_row();
  const Row& complete();
  void check_bytes();
  void fill_cells();
  void unescape();
  void note(FaultCode code, std::size_t position, std::size_t column);

  // Number of bytes of the row that were scanned.
  std::size_t position() const { return carried_ + static_cast<std::size_t>(from_ - row_begin_); }

  const char delimiter_;
  const ReadLimits limits_;

  // The current block and the scan position.
  const char* row_begin_ = nullptr;  // start of the row's part in the block
  const char* from_ = nullptr;
  const char* to_ = nullptr;
  bool finished_ = false;
  std::size_t bom_bytes_ = 0;  // bytes of the BOM seen so far
  bool past_bom_;

  // The current row. Positions count from its first byte, across blocks.
  State state_ = State::cell_start;
  std::size_t carried_ = 0;  // row bytes in earlier blocks; they are in kept_ unless too many
  std::string kept_;
  std::size_t text_bytes_ = 0;  // size of the row without the line end
  bool ended_ = false;          // the row was returned; the next one starts after it
  Span cell_;
  std::size_t columns_ = 0;
  std::vector<Span> spans_;
  std::uint64_t breaks_ = 0;  // line breaks in the row, including its end
  bool after_return_ = false;

  std::vector<Cell> cells_;
  std::string unescaped_;
  Row row_;
};

}  // namespace shopbell::csv
