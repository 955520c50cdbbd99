// Header: the first row of a CSV file, and how the cells below it become the JSON that a request
// would have sent. `contact.email` is a member of a member; an empty cell says nothing, \N clears.
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

// What a cell becomes.
enum class CellKind {
  text,
  number,
  boolean,
  texts,    // divided at |
  any,      // JSON if it is an object, a list or a number; else a text
  ignored,  // the service's own: what was exported can be imported
};

using Path = std::vector<std::string>;
// Of a column by its path; nothing when there is no such column.
using FindKind = std::function<std::optional<CellKind>(const Path& path)>;

// As the schemas of a resource say: as it is shown and as it is sent.
std::optional<CellKind> kind_in(const json::Schema& shown, const json::Schema& sent,
                                std::span<const std::string> path);

class Header {
 public:
  // Throws `unknown-column` and `file-unreadable`. `list` is a member whose elements have rows of
  // their own ("lines"), or nothing.
  Header(std::span<const csv::Cell> cells, const FindKind& find, std::string list = "");

  std::size_t columns() const { return names_.size(); }
  const std::vector<std::string>& names() const { return names_; }
  std::optional<std::size_t> place_of(std::string_view name) const;

  // The members of the object the cells make, but for those of the list.
  void write_members(json::Writer& writer, std::span<const csv::Cell> cells) const;
  // The element of the list that they make; nothing when they say nothing of one.
  std::optional<std::string> element(std::span<const csv::Cell> cells) const;

 private:
  struct Node {
    std::string name;
    std::size_t column = 0;  // of a leaf, from 1
    CellKind kind = CellKind::text;
    std::vector<Node> members;  // of an inner one
  };

  static void add(std::vector<Node>& nodes, std::span<const std::string> path, std::size_t column,
                  CellKind kind);
  static bool says_something(const Node& node, std::span<const csv::Cell> cells);
  static void write(json::Writer& writer, const Node& node, std::span<const csv::Cell> cells);

  std::vector<std::string> names_;
  std::vector<Node> members_;
  std::vector<Node> list_members_;
};

}  // namespace shopbell::imports
