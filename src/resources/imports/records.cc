#include "resources/imports/records.h"

#include <algorithm>
#include <array>
#include <format>

#include "base/limits.h"
#include "base/problem.h"
#include "base/text.h"
#include "csv/csv_writer.h"

namespace shopbell::imports {

namespace {

constexpr std::string_view kBom = "\xef\xbb\xbf";

// Returns the most frequent delimiter of the first line, outside quotes.
char delimiter_of(std::string_view text) {
  constexpr std::string_view kDelimiters = ",;\t|";
  std::array<std::size_t, kDelimiters.size()> counts{};
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '\n' || c == '\r') break;
    if (const auto found = kDelimiters.find(c); found != std::string_view::npos) ++counts[found];
  }
  return kDelimiters[static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin())];
}

// True for a column that an error report adds.
bool is_of_report(std::string_view column) { return column.starts_with("error."); }

RowError fault_of(std::int64_t row, const csv::Fault& fault) {
  return {row, "", std::string{csv::name_of(fault.code)},
          std::format("The row cannot be parsed; see byte {} of the file.", fault.offset)};
}

// Returns the row for the report; empty if it is not UTF-8 or contains NUL: text columns refuse it.
std::string shown(std::string_view raw) {
  return is_utf8(raw) && !raw.contains('\0') ? std::string{raw} : std::string{};
}

std::string column_count(std::size_t cells, std::size_t columns) {
  return std::format("The row has {} cells, the header has {}.", cells, columns);
}

}  // namespace

Records::Records(storage::Storage& storage, const Import& import, FindKind find,
                 std::string grouped)
    : source_{storage, import.file, import.coding},
      csv_{import.options.format == "csv"},
      find_{std::move(find)},
      grouped_{csv_ ? std::move(grouped) : ""} {
  if (import.options.delimiter) delimiter_option_ = import.options.delimiter->front();
}

Records::~Records() = default;

boost::asio::awaitable<void> Records::open(std::int64_t position, std::int64_t row) {
  if (csv_) co_await read_header();
  co_await source_.open(static_cast<std::uint64_t>(position));
  position_ = static_cast<std::uint64_t>(position);
  row_ = row;
  past_header_ = position > 0;
  reader_ = std::make_unique<csv::Reader>(delimiter_, csv::ReadLimits{},
                                          csv::Place{.offset = position_, .line = 1});
}

boost::asio::awaitable<void> Records::read_header() {
  co_await source_.open(0);
  std::string block = co_await source_.read();
  if (block.empty()) throw Problem{Code::file_unreadable, "The file is empty."};
  delimiter_ = delimiter_option_.value_or(delimiter_of(block));
  csv::Reader reader{delimiter_};
  while (true) {
    block.empty() ? reader.finish() : reader.feed(block);
    if (const csv::Row* row = reader.next()) {
      if (row->fault)
        throw Problem{Code::file_unreadable,
                      std::format("The header cannot be read: {} at byte {}.",
                                  csv::name_of(row->fault->code), row->fault->offset)};
      header_.emplace(row->cells, find_, grouped_.empty() ? "" : "lines");
      from_report_ = std::ranges::any_of(header_->names(), is_of_report);
      co_return;
    }
    if (block.empty()) throw Problem{Code::file_unreadable, "The file has no header."};
    block = co_await source_.read();
  }
}

boost::asio::awaitable<std::vector<Record>> Records::next(std::size_t most, std::size_t bytes) {
  while (!parse(most, bytes)) {
    if (ended_) {
      if (!line_.empty() || too_long_) take_line(std::exchange(line_, {}), position_);
      too_long_ = false;
      end_group();
      break;
    }
    block_ = co_await source_.read();
    ended_ = block_.empty();
    if (csv_) ended_ ? reader_->finish() : reader_->feed(block_);
  }
  ready_bytes_ = 0;
  co_return std::exchange(ready_, {});
}

bool Records::parse(std::size_t most, std::size_t bytes) {
  return csv_ ? parse_csv(most, bytes) : parse_lines(most, bytes);
}

bool Records::parse_csv(std::size_t most, std::size_t bytes) {
  while (ready_.size() < most && ready_bytes_ < bytes) {
    const csv::Row* row = reader_->next();
    if (row == nullptr) return false;
    if (std::exchange(past_header_, true)) take_row(*row);
  }
  return true;
}

bool Records::parse_lines(std::size_t most, std::size_t bytes) {
  std::string_view left = block_;
  const auto leave = [&](bool enough) {
    block_.erase(0, block_.size() - left.size());
    return enough;
  };
  while (ready_.size() < most && ready_bytes_ < bytes) {
    const auto end = left.find('\n');
    const std::string_view piece = left.substr(0, end);
    too_long_ = too_long_ || line_.size() + piece.size() > limits::kCsvRowBytes;
    if (too_long_) line_.clear();
    if (!too_long_) line_ += piece;
    const std::size_t taken = end == std::string_view::npos ? left.size() : end + 1;
    position_ += taken;
    left.remove_prefix(taken);
    if (end == std::string_view::npos) return leave(false);
    take_line(line_, position_);
    line_.clear();
    too_long_ = false;
  }
  return leave(true);
}

void Records::take_line(std::string_view line, std::uint64_t end) {
  if (row_ == 0 && line.starts_with(kBom)) line.remove_prefix(kBom.size());
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (!too_long_ && line.find_first_not_of(" \t") == std::string_view::npos) return;
  Record record{.row = ++row_, .lines = {shown(line)}, .end = end};
  if (too_long_) {
    record.fault = RowError{row_, "", "too-long", "The line is too long."};
  } else {
    record.json = line;
  }
  keep(std::move(record));
}

void Records::take_row(const csv::Row& row) {
  ++row_;
  if (row.fault || row.cells.size() != header_->columns()) {
    take_broken({.row = row_,
                 .lines = {shown(row.raw)},
                 .end = row.end.offset,
                 .fault = row.fault
                              ? fault_of(row_, *row.fault)
                              : RowError{row_, "", "invalid-format",
                                         column_count(row.cells.size(), header_->columns())}});
    return;
  }
  const auto place = grouped_.empty() ? std::nullopt : header_->place_of(grouped_);
  std::string group = place ? std::string{row.cells[*place].text} : "";
  const bool same = group_ && !group.empty() && group_->name == group;
  if (same) {
    add_row(row);
  } else {
    end_group();
    start_record(row, std::move(group));
  }
  group_->bytes += row.raw.size();
  group_->record.end = row.end.offset;
  if (grouped_.empty()) end_group();
}

// The next readable row shows whether the broken row belongs to the group. If it does, the whole
// purchase fails: without one of its lines it would be a different purchase.
void Records::take_broken(Record record) {
  if (!group_) return keep(std::move(record));
  broken_bytes_ += record.lines.front().size();
  broken_.push_back(std::move(record));
  if (broken_.size() > limits::kImportRows || broken_bytes_ > limits::kImportChunkBytes)
    end_group();
}

void Records::add_row(const csv::Row& row) {
  Record& record = group_->record;
  for (auto& broken : std::exchange(broken_, {})) {
    record.lines.push_back(std::move(broken.lines.front()));
    group_->bytes += record.lines.back().size();
    if (!record.fault) record.fault = broken.fault;
  }
  broken_bytes_ = 0;
  if (group_->bytes + row.raw.size() > limits::kCsvRowBytes) {
    record.fault =
        RowError{record.row, "/lines", "too-long", "The rows of the purchase are too large."};
    group_->elements.clear();
    ++record.left_out;
    return;
  }
  record.lines.push_back(line_of(row));
  if (!record.fault) add_element(row.cells);
}

// Returns the row as in the file, without the columns that an earlier report added.
std::string Records::line_of(const csv::Row& row) const {
  if (!from_report_) return std::string{row.raw};
  std::string line;
  csv::Writer writer{line, {.delimiter = delimiter_, .line_end = ""}};
  for (std::size_t i = 0; i < row.cells.size(); ++i)
    if (!is_of_report(header_->names()[i])) writer.cell(row.cells[i].text);
  writer.end_row();
  return line;
}

void Records::start_record(const csv::Row& row, std::string group) {
  json::Writer writer;
  writer.begin_object();
  header_->write_members(writer, row.cells);
  writer.end();
  group_ = Group{.record = {.row = row_, .lines = {line_of(row)}},
                 .name = std::move(group),
                 .members = writer.finish()};
  if (!grouped_.empty()) add_element(row.cells);
}

void Records::add_element(std::span<const csv::Cell> cells) {
  const auto element = header_->element(cells);
  if (!element) return;
  group_->elements += group_->elements.empty() ? "" : ",";
  group_->elements += *element;
}

void Records::end_group() {
  if (!group_) return;
  Group group = std::move(*group_);
  group_.reset();
  group.record.json = std::move(group.members);
  if (!group.elements.empty()) {
    const std::string_view between = group.record.json == "{}" ? "" : ",";
    group.record.json.pop_back();
    group.record.json += std::format("{}\"lines\":[{}]}}", between, group.elements);
  }
  keep(std::move(group.record));
  for (auto& broken : std::exchange(broken_, {})) keep(std::move(broken));
  broken_bytes_ = 0;
}

void Records::keep(Record record) {
  ready_bytes_ += record.json.size();
  for (const auto& line : record.lines) ready_bytes_ += line.size();
  ready_.push_back(std::move(record));
}

}  // namespace shopbell::imports
