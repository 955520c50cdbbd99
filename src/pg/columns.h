// Columns: parameters of a statement that takes many rows at once, one array per column.
#pragma once

#include <vector>

#include "pg/group.h"

namespace shopbell::pg {

class Columns {
 public:
  // Adds one row; every row has the same number of values.
  template <class... Values>
  void add(const Values&... values) {
    if (columns_.empty()) columns_.resize(sizeof...(values));
    std::size_t i = 0;
    (columns_[i++].add(values), ...);
  }

  // Adds one row of values that are already in text form.
  void add_row(const std::vector<Parameter>& values) {
    if (columns_.empty()) columns_.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) columns_[i].add(values[i]);
  }

  bool empty() const { return columns_.empty(); }

  // Adds a statement whose parameters are these values, such as the account, and the columns;
  // empties the columns. Without rows it adds nothing.
  template <class... Values>
  void add_to(Group& effect, const Query& query, const Values&... values) {
    if (!empty()) effect.add_prepared(query, finish({parameter(values)...}));
  }

 private:
  std::vector<Parameter> finish(std::vector<Parameter> before) {
    before.reserve(before.size() + columns_.size());
    for (auto& column : columns_) before.emplace_back(std::move(column).finish());
    columns_.clear();
    return before;
  }

  std::vector<Array> columns_;
};

}  // namespace shopbell::pg
