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
    if (empty()) return;
    std::vector<Parameter> arrays{parameter(account)};
    arrays.reserve(columns_.size() + 1);
    for (auto& column : columns_) arrays.emplace_back(std::move(column).finish());
    columns_.clear();
    effect.add_prepared(query, std::move(arrays));
  }

 private:
  std::vector<Array> columns_;
};

}  // namespace shopbell::pg
