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

  // Adds a statement with the account and the columns as parameters, and empties the columns.
  // Without rows it adds nothing.
  void add_to(Group& effect, const Query& query, std::int64_t account) {
    if (!empty()) effect.add_prepared(query, finish({parameter(account)}));
  }
  // Adds a statement without an account, for rows of many accounts, and empties the columns.
  void add_to(Group& effect, const Query& query) {
    if (!empty()) effect.add_prepared(query, finish({}));
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
