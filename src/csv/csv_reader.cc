#include "csv/csv_reader.h"

#include <array>
#include <cassert>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "csv/csv_scan.h"

namespace shopbell::csv {

namespace {

constexpr std::string_view kBom = "\xEF\xBB\xBF";
constexpr char kQuote = '"';

}  // namespace

bool is_delimiter(char c) { return c == ',' || c == ';' || c == '\t' || c == '|'; }

std::string_view name_of(FaultCode code) {
  static constexpr std::array<std::string_view, 7> kNames{
      "unclosed-quote",   "row-too-long", "text-after-quote", "cell-too-long",
      "too-many-columns", "nul-byte",     "invalid-utf8"};
  return kNames[std::to_underlying(code)];
}

Reader::Reader(char delimiter, ReadLimits limits, Place start)
    : delimiter_(delimiter), limits_(limits), past_bom_(start.offset != 0) {
  assert(is_delimiter(delimiter));
  row_.start = row_.end = start;
}

void Reader::feed(std::string_view block) {
  assert(from_ == to_ && !finished_);
  if (!past_bom_) block = without_bom(block);
  row_begin_ = from_ = block.data();
  to_ = from_ + block.size();
}

void Reader::finish() {
  assert(from_ == to_);
  finished_ = true;
  if (!past_bom_) put_back_bom();
}

std::string_view Reader::without_bom(std::string_view block) {
  while (!block.empty() && bom_bytes_ < kBom.size() && block.front() == kBom[bom_bytes_]) {
    block.remove_prefix(1);
    ++bom_bytes_;
  }
  if (bom_bytes_ == kBom.size()) {
    past_bom_ = true;
    row_.start.offset = bom_bytes_;
  } else if (!block.empty()) {
    put_back_bom();
  }
  return block;
}

// The bytes of an incomplete BOM belong to the first cell.
void Reader::put_back_bom() {
  past_bom_ = true;
  if (bom_bytes_ == 0) return;
  kept_ = kBom.substr(0, bom_bytes_);
  carried_ = bom_bytes_;
  state_ = State::unquoted;
}

const Row* Reader::next() {
  if (ended_) start_row();
  while (scan()) {
    const Row& row = complete();
    if (text_bytes_ != 0) return &row;
    start_row();  // the line was blank
  }
  if (!finished_) {
    carry();
    return nullptr;
  }
  if (position() == 0) return nullptr;
  end_last_row();
  return &complete();
}

bool Reader::scan() {
  while (from_ != to_) {
    switch (state_) {
      case State::cell_start:
        cell_ = {.begin = position()};
        state_ = State::unquoted;
        if (*from_ != kQuote) break;
        cell_ = {.begin = position() + 1, .quoted = true};
        state_ = State::quoted;
        after_return_ = false;
        ++from_;
        break;
      case State::unquoted:
        if (scan_unquoted()) return true;
        break;
      case State::quoted:
        scan_quoted();
        break;
      case State::closing_quote:
        if (leave_closing_quote()) return true;
        break;
      case State::carriage_return:
        if (*from_ == '\n') ++from_;
        return true;
    }
  }
  return finished_ && state_ == State::carriage_return;
}

// Scans consecutive unquoted cells in one loop, because most cells are unquoted.
bool Reader::scan_unquoted() {
  while (true) {
    from_ = find_mark(from_, to_, delimiter_);
    if (from_ == to_) return false;
    cell_.end = position();
    if (*from_ != delimiter_) return end_cell_at_mark();
    end_cell();
    ++from_;
    if (from_ == to_ || *from_ == kQuote) {
      state_ = State::cell_start;
      return false;
    }
    cell_ = {.begin = position()};
  }
}

void Reader::scan_quoted() {
  const auto* quote =
      static_cast<const char*>(std::memchr(from_, kQuote, static_cast<std::size_t>(to_ - from_)));
  const char* const end = quote == nullptr ? to_ : quote;
  count_breaks(from_, end);
  from_ = end;
  if (quote == nullptr) return;
  cell_.end = position();
  state_ = State::closing_quote;
  ++from_;
}

bool Reader::leave_closing_quote() {
  if (*from_ == kQuote) {  // "" is an escaped quote
    ++cell_.doubled;
    state_ = State::quoted;
    after_return_ = false;
    ++from_;
    return false;
  }
  if (is_mark(*from_, delimiter_)) return end_cell_at_mark();
  note(FaultCode::text_after_quote, position(), columns_);
  state_ = State::unquoted;
  return false;
}

// Returns true when the line end is complete: a CR may still be followed by LF.
bool Reader::end_cell_at_mark() {
  end_cell();
  const char mark = *from_;
  if (mark != delimiter_) {
    text_bytes_ = position();
    ++breaks_;
  }
  state_ = mark == '\r' ? State::carriage_return : State::cell_start;
  ++from_;
  return mark == '\n';
}

void Reader::end_cell() {
  if (cell_.end - cell_.begin - cell_.doubled > limits_.cell_bytes) {
    note(FaultCode::cell_too_long, cell_.begin, columns_);
  }
  if (columns_ < limits_.columns) {
    spans_.push_back(cell_);
  } else {
    note(FaultCode::too_many_columns, cell_.begin, columns_);
  }
  ++columns_;
}

// Ends a last row that has no line end.
void Reader::end_last_row() {
  if (state_ == State::quoted) {
    row_.fault.reset();  // the unclosed quote causes the earlier fault
    note(FaultCode::unclosed_quote, cell_.begin - 1, columns_);
  }
  if (state_ == State::cell_start) cell_ = {.begin = position()};
  if (state_ != State::closing_quote) cell_.end = position();
  end_cell();
  text_bytes_ = position();
}

void Reader::count_breaks(const char* from, const char* to) {
  for (; from != to; ++from) {
    if (*from == '\r' || (*from == '\n' && !after_return_)) ++breaks_;
    after_return_ = *from == '\r';
  }
}

// Saves the beginning of a row that continues in the next block, unless it exceeds the limit.
void Reader::carry() {
  const std::size_t known = position();
  const std::size_t text = state_ == State::carriage_return ? text_bytes_ : known;
  if (text > limits_.row_bytes) {
    kept_.clear();
  } else if (from_ != row_begin_) {
    kept_.append(row_begin_, from_);
  }
  carried_ = known;
  row_begin_ = from_;
}

void Reader::start_row() {
  row_ = Row{.start = row_.end, .end = row_.end};
  state_ = State::cell_start;
  ended_ = false;
  carried_ = 0;
  kept_.clear();
  row_begin_ = from_;
  spans_.clear();
  columns_ = 0;
  breaks_ = 0;
}

const Row& Reader::complete() {
  ended_ = true;
  row_.end = {row_.start.offset + position(), row_.start.line + breaks_};
  const bool unclosed = row_.fault && row_.fault->code == FaultCode::unclosed_quote;
  if (text_bytes_ > limits_.row_bytes) {
    if (!unclosed) row_.fault = Fault{FaultCode::row_too_long, row_.start.offset, 0};
    return row_;
  }
  if (carried_ != 0) kept_.append(row_begin_, from_);
  row_.raw = {carried_ != 0 ? kept_.data() : row_begin_, text_bytes_};
  if (!row_.fault) check_bytes();
  if (!row_.fault) fill_cells();
  return row_;
}

// Delimiters are ASCII, so the row is UTF-8 exactly when all its cells are.
void Reader::check_bytes() {
  if (is_plain(row_.raw)) return;
  for (std::size_t column = 0; column < spans_.size(); ++column) {
    const Span& span = spans_[column];
    const std::string_view text = row_.raw.substr(span.begin, span.end - span.begin);
    if (is_plain(text)) continue;
    if (const std::size_t nul = text.find('\0'); nul != text.npos) {
      return note(FaultCode::nul_byte, span.begin + nul, column);
    }
    if (!is_utf8(text)) return note(FaultCode::invalid_utf8, span.begin, column);
  }
}

void Reader::fill_cells() {
  cells_.resize(spans_.size());
  std::size_t doubled = 0;
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    const Span& span = spans_[i];
    cells_[i] = {{row_.raw.data() + span.begin, span.end - span.begin}, span.quoted};
    doubled += span.doubled;
  }
  if (doubled != 0) unescape();
  row_.cells = cells_;
}

void Reader::unescape() {
  unescaped_.clear();
  unescaped_.reserve(row_.raw.size());  // a reallocation would invalidate earlier cells
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    if (spans_[i].doubled == 0) continue;
    const std::size_t begin = unescaped_.size();
    std::string_view text = cells_[i].text;
    for (std::size_t left = spans_[i].doubled; left != 0; --left) {
      const std::size_t quote = text.find(kQuote);
      unescaped_ += text.substr(0, quote + 1);
      text.remove_prefix(quote + 2);
    }
    unescaped_ += text;
    cells_[i].text = std::string_view{unescaped_}.substr(begin);
  }
}

void Reader::note(FaultCode code, std::size_t position, std::size_t column) {
  if (!row_.fault) row_.fault = Fault{code, row_.start.offset + position, column};
}

}  // namespace shopbell::csv
