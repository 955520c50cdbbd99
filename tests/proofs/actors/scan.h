// Scan: searches everything an installation stores for many strings at once: every row of every
// table, the planner's statistics, and all logs.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "pg/script.h"

namespace shopbell::proofs {

// Personal data to search for. The search ignores case.
class Needles {
 public:
  // Adds a value in any of these forms, each also as hexadecimal text. Returns its number.
  std::size_t add(const std::vector<std::string>& forms);
  std::size_t size() const { return size_; }

  // Adds the numbers of the values found in the text.
  void find_in(std::string_view text, std::set<std::size_t>& found) const;

 private:
  void add_form(std::string form, std::size_t number);

  std::size_t size_ = 0;
  std::map<std::size_t, std::unordered_map<std::string, std::size_t>> by_length_;
  std::vector<bool> beginnings_ =
      std::vector<bool>(1U << 16U);  // indexed by the first two characters of a needle
};

// The numbers of the values found, by location: a table or a file.
using Finds = std::map<std::string, std::set<std::size_t>>;

struct Scan {
  Finds finds;
  std::map<std::string, std::string> examples;  // the beginning of a text with a find, by location
  std::size_t places = 0;                       // number of locations searched
  std::size_t bytes = 0;

  std::set<std::size_t> found() const;
  std::string where() const;  // formats the locations and their examples for output
};

// Searches every column of every table and partition; bytea as hexadecimal and as text.
Scan scan_tables(pg::Script& database, const Needles& needles);
// Searches the values that ANALYZE keeps, and the current statements of all connections.
Scan scan_statistics(pg::Script& database, const Needles& needles);
// Searches the names and the content of all files below the directory.
Scan scan_files(const std::filesystem::path& directory, const Needles& needles);
// Searches every log under the installation's directory, PostgreSQL's included.
Scan scan_logs(const std::filesystem::path& directory, const Needles& needles);

}  // namespace shopbell::proofs
