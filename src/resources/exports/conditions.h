// Conditions: the conditions of a WHERE clause, joined by AND. Values are quoted into the text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "resources/exports/export.h"

namespace shopbell::exports {

// Quotes a time as a constant of PostgreSQL.
std::string quoted_instant(Instant at);

class Conditions {
 public:
  explicit Conditions(std::string first) : sql_{std::move(first)} {}

  Conditions& add(std::string_view condition);

  // These add nothing without a value.
  Conditions& equal(std::string_view column, const std::optional<std::string>& text);
  Conditions& equal_uuid(std::string_view column, const std::optional<std::string>& id);
  Conditions& any_of(std::string_view value, const std::vector<std::string>& texts);
  // `comparison` is such as "c.updated_at >".
  Conditions& instant(std::string_view comparison, const std::optional<Instant>& at);
  Conditions& contact(std::string_view column, const std::optional<ContactName>& contact);

  const std::string& sql() const { return sql_; }

 private:
  std::string sql_;
};

}  // namespace shopbell::exports
