// Header: the first row of a CSV file. It converts the cells of the other rows to the JSON of a
// request. `contact.email` is a nested member. An empty cell is left out; \N becomes null.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "csv/csv_reader.h"
#include "json/schema.h"
#include "json/writer.h"

namespace shopbell::imports {

// The JSON type of a cell.
enum class CellKind {
  text,
  number,
  boolean,
  texts,    // a list of texts, separated by |
  any,      // an object, a list or a number as JSON; else a text
  ignored,  // read-only column, accepted so that an export can be imported
};

using Path = std::vector<std::string>;
// Returns the kind of a column by its path; nullopt if there is no such column.
using FindKind = std::function<std::optional<CellKind>(const Path& path)>;

// Finds the kind in the schemas of a resource: `shown` in responses, `sent` in requests.
std::optional<CellKind> kind_in(const json::Schema& shown, const json::Schema& sent,
                                std::span<const std::string> path);

class Header {
 public:
  // Throws unknown-column and file-unreadable. `list` is the member whose elements have one row
  // each ("lines"), or empty.
  Header(std::span<const csv::Cell> cells, const FindKind& find, std::string list = "");

  std::size_t columns() const { return names_.size(); }
  const std::vector<std::string>& names() const { return names_; }
  std::optional<std::size_t> place_of(std::string_view name) const;

  // Writes the members that the cells contain, except the members of the list.
  void write_members(json::Writer& writer, std::span<const csv::Cell> cells) const;
  // Returns the list element of the row; nullopt if all its cells are empty.
  std::optional<std::string> element(std::span<const csv::Cell> cells) const;

 private:
  struct Node {
    std::string name;
    std::size_t column = 0;  // 1-based column of a leaf
    CellKind kind = CellKind::text;
    std::vector<Node> members;  // empty for a leaf
  };

  static void add(std::vector<Node>& nodes, std::span<const std::string> path, std::size_t column,
                  CellKind kind);
  static bool has_value(const Node& node, std::span<const csv::Cell> cells);
  static void write(json::Writer& writer, const Node& node, std::span<const csv::Cell> cells);

  std::vector<std::string> names_;
  std::vector<Node> members_;
  std::vector<Node> list_members_;
};

}  // namespace shopbell::imports
