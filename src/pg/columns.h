// Columns: rows for a statement that takes many at once, each column an array of its own.
#pragma once

#include <vector>

#include "pg/group.h"

namespace shopbell::pg {

class Columns {
 public:
  // One row; always as many values.
  template <class... Values>
  void add(const Values&... values) {
    if (columns_.empty()) columns_.resize(sizeof...(values));
    std::size_t i = 0;
    (columns_[i++].add(values), ...);
  }

  bool empty() const { return columns_.empty(); }

  // A statement of the account and of the columns after it; none when there are no rows. They are
  // its own then.
  void add_to(Group& effect, const Query& query, std::int64_t account) {
    if (!empty()) effect.add_prepared(query, finish({parameter(account)}));
  }
  // A statement of the columns alone, for rows of many accounts.
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
