// CSV as RFC 4180 has it and as stores send it: a stream of blocks in, rows out, each with its
// place in the file, so that a report can point at it and another reader can go on from it. Nothing
// grows past the limits: of a row that is too long only its place is kept.
//
// Beyond the RFC: the delimiter is the caller's; a line ends with LF, CRLF or a lone CR; blank
// lines are no rows; a BOM at the very start of the file is skipped. A quote inside a cell that
// does not begin with one is an ordinary character.
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

// , ; tab and |
bool is_delimiter(char c);

// Where something is in the file. A row's start is all that a reader needs to go on from there.
struct Place {
  std::uint64_t offset = 0;  // in bytes
  std::uint64_t line = 1;    // line breaks inside quotes count
  bool operator==(const Place&) const = default;
};

struct ReadLimits {
  std::size_t cell_bytes = limits::kCsvCellBytes;  // of its text
  std::size_t row_bytes = limits::kCsvRowBytes;    // as it stands in the file, without the line end
  std::size_t columns = limits::kCsvColumns;
};

enum class FaultCode {
  unclosed_quote,    // the file ends inside quotes
  row_too_long,      // its raw text is not kept
  text_after_quote,  // neither a delimiter nor a line end follows the closing quote
  cell_too_long,
  too_many_columns,
  nul_byte,
  invalid_utf8,
};
std::string_view name_of(FaultCode code);

struct Fault {
  FaultCode code;
  std::uint64_t offset;  // of the byte it shows at, or of the cell or row it is about
  std::size_t column;    // from 0
  bool operator==(const Fault&) const = default;
};

struct Cell {
  std::string_view text;
  bool quoted = false;  // so that "" is an empty text, and nothing at all is no text
  bool operator==(const Cell&) const = default;
};

// What it refers to lasts until the reader's next call.
struct Row {
  Place start;
  Place end;                    // behind its line end
  std::string_view raw;         // as it stands in the file, without the line end
  std::span<const Cell> cells;  // none when there is a fault
  std::optional<Fault> fault;   // the first one; the rows after it are not affected
};

class Reader {
 public:
  explicit Reader(char delimiter, ReadLimits limits = {}, Place start = {});

  // The bytes that follow those fed before; they must last until next() has nothing more. Only then
  // may the next block come, or the end.
  void feed(std::string_view block);
  void finish();

  // The next row; nothing when that takes another block, or when all has been read.
  const Row* next();

 private:
  enum class State { cell_start, unquoted, quoted, closing_quote, carriage_return };
  struct Span {  // of a cell in the row's text, its quotes left out
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t doubled = 0;  // quotes that stand for one
    bool quoted = false;
  };

  std::string_view without_bom(std::string_view block);
  void put_back_bom();
  bool scan();  // to behind the row's line end; false when the block ends first
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

  // How far the row has been read.
  std::size_t position() const { return carried_ + static_cast<std::size_t>(from_ - row_begin_); }

  const char delimiter_;
  const ReadLimits limits_;

  // The block, and how far it has been read.
  const char* row_begin_ = nullptr;  // of the row's part in it
  const char* from_ = nullptr;
  const char* to_ = nullptr;
  bool finished_ = false;
  std::size_t bom_bytes_ = 0;  // of it, seen so far
  bool past_bom_;

  // The row under way. Positions count from its first byte, whatever blocks it is spread over.
  State state_ = State::cell_start;
  std::size_t carried_ = 0;  // its bytes in earlier blocks, in kept_ unless there are too many
  std::string kept_;
  std::size_t text_bytes_ = 0;  // without the line end
  bool ended_ = false;          // and handed out: the next one begins behind it
  Span cell_;
  std::size_t columns_ = 0;
  std::vector<Span> spans_;
  std::uint64_t breaks_ = 0;  // line breaks in it, its end included
  bool after_return_ = false;

  std::vector<Cell> cells_;
  std::string unescaped_;
  Row row_;
};

}  // namespace shopbell::csv
