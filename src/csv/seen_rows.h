// Rows that outlive their reader, for whoever compares what it saw: the reader's tests and fuzzer.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "csv/csv_reader.h"

namespace shopbell::csv {

struct Seen {
  Place start;
  Place end;
  std::string raw;
  std::vector<std::pair<std::string, bool>> cells;
  std::optional<Fault> fault;
  bool operator==(const Seen&) const = default;
};

inline void collect(Reader& reader, std::vector<Seen>& rows) {
  while (const Row* row = reader.next()) {
    Seen seen{row->start, row->end, std::string{row->raw}, {}, row->fault};
    for (const Cell& cell : row->cells) seen.cells.emplace_back(cell.text, cell.quoted);
    rows.push_back(std::move(seen));
  }
}

}  // namespace shopbell::csv
