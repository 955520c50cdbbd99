// Copies of rows that outlive the reader, for the comparisons in its tests and its fuzzer.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "csv/csv_reader.h"

namespace shopbell::csv {

struct RowCopy {
  Place start;
  Place end;
  std::string raw;
  std::vector<std::pair<std::string, bool>> cells;
  std::optional<Fault> fault;
  bool operator==(const RowCopy&) const = default;
};

inline void collect(Reader& reader, std::vector<RowCopy>& rows) {
  while (const Row* row = reader.next()) {
    RowCopy copy{row->start, row->end, std::string{row->raw}, {}, row->fault};
    for (const Cell& cell : row->cells) copy.cells.emplace_back(cell.text, cell.quoted);
    rows.push_back(std::move(copy));
  }
}

}  // namespace shopbell::csv
