// Template: the text of a statement, or of a part of one, with named placeholders such as
// {account}. For statements that take no parameters, such as COPY. Constants of this type are
// generated from the .sql files of folders `statements`.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace shopbell::pg {

struct Template {
  std::string_view name;  // such as "exports.products_sold"
  std::string_view sql;
};

// The SQL that replaces a placeholder everywhere. Quote values with Snapshot::quote().
struct Filling {
  Filling(std::string_view placeholder, std::string text)
      : name{placeholder}, sql{std::move(text)} {}
  template <std::integral Integer>
  Filling(std::string_view placeholder, Integer number)
      : name{placeholder}, sql{std::to_string(number)} {}

  std::string_view name;
  std::string sql;
};

// Throws std::logic_error if a placeholder has no filling, or a filling no placeholder. A
// placeholder consists of lower-case letters and underscores, so '{}' and '{a,b}' are none.
std::string fill(const Template& statement, std::initializer_list<Filling> fillings);

}  // namespace shopbell::pg
