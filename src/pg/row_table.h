// RowTable: the columns of a wide row, each listed once. The list determines how a row is
// read, the parameters that write it, and the column lists inside its .sql files.
#pragma once

#include <cstdint>
#include <format>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pg/columns.h"
#include "pg/group.h"
#include "pg/result.h"

namespace shopbell::pg {

template <class Object>
struct RowColumn {
  std::string name;
  std::string type;  // PostgreSQL type
  std::function<Parameter(const Object&)> write;
  std::function<void(const Row&, Object&)> read;  // none for a column that is only written
};

// The PostgreSQL types and conversions of C++ member types.
template <class Member>
struct ColumnType;
template <>
struct ColumnType<std::string> {
  static constexpr const char* kName = "text";
  static std::string read(const Row& row, const char* column) { return row.text(column); }
};
template <>
struct ColumnType<std::optional<std::string>> {
  static constexpr const char* kName = "text";
  static auto read(const Row& row, const char* column) { return row.maybe_text(column); }
};
template <>
struct ColumnType<std::vector<std::string>> {
  static constexpr const char* kName = "text[]";
  static auto read(const Row& row, const char* column) { return row.texts(column); }
};
template <>
struct ColumnType<std::int64_t> {
  static constexpr const char* kName = "bigint";
  static auto read(const Row& row, const char* column) { return row.integer(column); }
};
template <>
struct ColumnType<std::int16_t> {
  static constexpr const char* kName = "smallint";
  static auto read(const Row& row, const char* column) {
    return static_cast<std::int16_t>(row.integer(column));
  }
};
template <>
struct ColumnType<Instant> {
  static constexpr const char* kName = "timestamptz";
  static auto read(const Row& row, const char* column) { return row.instant(column); }
};
template <>
struct ColumnType<std::optional<Instant>> {
  static constexpr const char* kName = "timestamptz";
  static auto read(const Row& row, const char* column) { return row.maybe_instant(column); }
};

// A column that holds a member as it is.
template <class Object, class Member>
RowColumn<Object> column(std::string name, Member Object::* member) {
  return {name, ColumnType<Member>::kName,
          [member](const Object& object) { return parameter(object.*member); },
          [member, name](const Row& row, Object& object) {
            object.*member = ColumnType<Member>::read(row, name.c_str());
          }};
}

template <class Object>
class RowTable {
 public:
  // The statements have `first` - 1 parameters before those of the columns.
  RowTable(int first, std::vector<RowColumn<Object>> columns)
      : first_{first}, columns_{std::move(columns)} {}

  void read(const Row& row, Object& object) const {
    for (const auto& column : columns_)
      if (column.read) column.read(row, object);
  }

  // Adds the values of an object to the parameters of a statement.
  void add_to(std::vector<Parameter>& parameters, const Object& object) const {
    parameters.reserve(parameters.size() + columns_.size());
    for (const auto& column : columns_) parameters.push_back(column.write(object));
  }

  // The text of a .sql file with these lists filled in:
  //   {columns}          lane, email, tags
  //   {values}           $4::smallint, $5::text, $6::text[]
  //   {assignments}      lane = $4::smallint, …
  //   {arrays}           $4::smallint[], $5::text[], $6::text[], for unnest() AS n
  //   {row values}       n.lane, n.email, n.tags::text[]
  //   {row assignments}  lane = n.lane, …
  std::string fill(std::string_view sql) const {
    std::string text{sql};
    replace(text, "{columns}", [](const auto& column, int) { return column.name; });
    replace(text, "{values}", value);
    replace(text, "{assignments}", [](const auto& column, int number) {
      return std::format("{} = {}", column.name, value(column, number));
    });
    replace(text, "{arrays}", [](const auto& column, int number) {
      // Arrays inside an array would need equal lengths, so they are sent as texts.
      return std::format("${}::{}[]", number, is_array(column) ? "text" : column.type);
    });
    replace(text, "{row values}", [](const auto& column, int) { return row_value(column); });
    replace(text, "{row assignments}", [](const auto& column, int) {
      return std::format("{} = {}", column.name, row_value(column));
    });
    return text;
  }

 private:
  static bool is_array(const RowColumn<Object>& column) { return column.type.ends_with("[]"); }
  static std::string value(const RowColumn<Object>& column, int number) {
    return std::format("${}::{}", number, column.type);
  }
  static std::string row_value(const RowColumn<Object>& column) {
    return std::format("n.{}{}", column.name, is_array(column) ? "::" + column.type : "");
  }
  template <class Write>
  void replace(std::string& text, std::string_view marker, Write write) const {
    const auto at = text.find(marker);
    if (at == std::string::npos) return;
    std::string list;
    int number = first_;
    for (const auto& column : columns_) {
      if (!list.empty()) list += ", ";
      list += write(column, number++);
    }
    text.replace(at, marker.size(), list);
    replace(text, marker, write);
  }

  int first_;
  std::vector<RowColumn<Object>> columns_;
};

// A query whose .sql file has lists to fill in.
class FilledQuery {
 public:
  template <class Object>
  FilledQuery(const Query& query, const RowTable<Object>& table)
      : sql_{table.fill(query.sql)},
        query_{.name = query.name, .timeout = query.timeout, .sql = sql_} {}
  FilledQuery(const FilledQuery&) = delete;
  FilledQuery& operator=(const FilledQuery&) = delete;

  const Query& query() const { return query_; }

 private:
  std::string sql_;
  Query query_;
};

}  // namespace shopbell::pg
