// Scan: looks for many strings at once in everything an installation keeps: each row of each table,
// what the planner remembers of them, and all logs.
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

// Something about a person that must be recognised wherever it stands. Case makes no difference.
class Needles {
 public:
  // In any of these forms; each is also looked for as hexadecimal text. Returns its number.
  std::size_t add(const std::vector<std::string>& forms);
  std::size_t size() const { return size_; }

  // Adds the numbers of those that stand in the text.
  void find_in(std::string_view text, std::set<std::size_t>& found) const;

 private:
  void add_form(std::string form, std::size_t number);

  std::size_t size_ = 0;
  std::map<std::size_t, std::unordered_map<std::string, std::size_t>> by_length_;
  std::vector<bool> beginnings_ = std::vector<bool>(1U << 16U);  // of two characters
};

// By the place: a table, a file.
using Finds = std::map<std::string, std::set<std::size_t>>;

struct Scan {
  Finds finds;
  std::size_t places = 0;  // looked at
  std::size_t bytes = 0;

  std::set<std::size_t> found() const;
  std::string where() const;  // for people
};

// Every table with every column, partitions included; bytes as hexadecimal and as text.
Scan scan_tables(pg::Script& database, const Needles& needles);
// What ANALYZE keeps of values, and the statements of those connected.
Scan scan_statistics(pg::Script& database, const Needles& needles);
// Every log under the installation's directory, PostgreSQL's own included.
Scan scan_logs(const std::filesystem::path& directory, const Needles& needles);

}  // namespace shopbell::proofs
