// Result: the rows of one statement. Columns are read by name; a wrong name or an unexpected NULL
// is a bug in the query, and throws.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "base/uuid.h"

struct pg_result;

namespace shopbell::pg {

class Row {
 public:
  Row(const pg_result* result, int row) : result_{result}, row_{row} {}

  std::optional<std::string_view> find(const char* column) const;  // nullopt for NULL
  std::string_view view(const char* column) const;
  std::string text(const char* column) const { return std::string{view(column)}; }
  std::optional<std::string> maybe_text(const char* column) const;
  std::int64_t integer(const char* column) const;
  std::optional<std::int64_t> maybe_integer(const char* column) const;
  bool boolean(const char* column) const;
  Instant instant(const char* column) const;
  std::optional<Instant> maybe_instant(const char* column) const;
  Uuid uuid(const char* column) const;
  std::vector<std::string> texts(const char* column) const;   // text[]
  std::vector<std::uint8_t> bytes(const char* column) const;  // bytea
  std::optional<std::vector<std::uint8_t>> maybe_bytes(const char* column) const;

 private:
  const pg_result* result_;
  int row_;
  mutable int next_ = 0;  // where the next search starts: columns are mostly read in order
};

class Result {
 public:
  explicit Result(pg_result* result) : result_{result} {}

  std::size_t size() const;
  bool empty() const { return size() == 0; }
  Row operator[](std::size_t row) const { return Row{result_.get(), static_cast<int>(row)}; }
  std::optional<Row> first() const;
  // Calls read(row) for every row and returns the results in order.
  template <class Read>
  auto map(Read read) const {
    std::vector<decltype(read(std::declval<Row>()))> values;
    values.reserve(size());
    for (std::size_t i = 0; i < size(); ++i) values.push_back(read((*this)[i]));
    return values;
  }
  // Returns the command tag, such as "COMMIT" or "INSERT 0 1".
  std::string_view command() const;

 private:
  struct Free {
    void operator()(pg_result* result) const;
  };
  std::unique_ptr<pg_result, Free> result_;
};

using Results = std::vector<Result>;

}  // namespace shopbell::pg
