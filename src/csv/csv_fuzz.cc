// Fuzzes the CSV reader and writer: no crash on any input, equal rows for any block size and when
// resuming at any row, and rows round-trip through the writer.
#include "csv/csv_reader.h"
#include "csv/csv_writer.h"
#include "csv/seen_rows.h"

namespace {

using shopbell::csv::Place;
using shopbell::csv::Reader;
using shopbell::csv::ReadLimits;
using shopbell::csv::RowCopy;
using shopbell::csv::Writer;

constexpr ReadLimits kLimits{.cell_bytes = 40, .row_bytes = 100, .columns = 8};

std::vector<RowCopy> read(std::string_view file, char delimiter, std::size_t block_bytes,
                          Place start = {}) {
  std::vector<RowCopy> rows;
  Reader reader{delimiter, kLimits, start};
  while (!file.empty()) {
    const std::string block{file.substr(0, block_bytes)};
    reader.feed(block);
    collect(reader, rows);
    file.remove_prefix(block.size());
  }
  reader.finish();
  collect(reader, rows);
  return rows;
}

bool same_cells(const RowCopy& a, const RowCopy& b) {
  return std::ranges::equal(a.cells, b.cells, [](const auto& left, const auto& right) {
    return left.first == right.first;
  });
}

void check_written(const std::vector<RowCopy>& rows, char delimiter) {
  for (const RowCopy& row : rows) {
    if (row.fault) continue;
    std::string line;
    Writer writer{line, {.delimiter = delimiter}};
    for (const auto& [text, quoted] : row.cells) writer.cell(text);
    writer.end_row();
    Reader reader{delimiter};
    reader.feed(line);
    std::vector<RowCopy> again;
    collect(reader, again);
    if (again.size() != 1 || !same_cells(again[0], row)) __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const char delimiter = std::string_view{",;\t|"}[data[0] % 4];
  const std::size_t block_bytes = 1 + data[1] % 32;
  const std::string_view file{reinterpret_cast<const char*>(data) + 2, size - 2};

  const auto rows = read(file, delimiter, file.size() + 1);
  if (read(file, delimiter, block_bytes) != rows) __builtin_trap();
  if (!rows.empty()) {
    const std::size_t from = data[1] % rows.size();
    const auto left =
        read(file.substr(rows[from].start.offset), delimiter, file.size() + 1, rows[from].start);
    if (!std::ranges::equal(left, std::span{rows}.subspan(from))) __builtin_trap();
  }
  check_written(rows, delimiter);
  return 0;
}
