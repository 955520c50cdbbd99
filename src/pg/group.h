// Group: the statements of one round trip. They run as one transaction: all of them, or none. It
// commits before the caller sees a result. To prevent a change, add a statement that raises
// (`require` in SQL); checking the results is too late.
#pragma once

#include <cassert>
#include <chrono>
#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/time.h"
#include "base/uuid.h"
#include "pg/query.h"

namespace shopbell::pg {

using Parameter = std::optional<std::string>;  // PostgreSQL's text form; nullopt is NULL

inline Parameter parameter(std::string_view text) { return std::string{text}; }
inline Parameter parameter(const char* text) { return std::string{text}; }
inline Parameter parameter(const std::string& text) { return text; }
inline Parameter parameter(bool truth) { return truth ? "t" : "f"; }
template <std::integral Integer>
Parameter parameter(Integer number) {
  return std::to_string(number);
}
inline Parameter parameter(const Uuid& id) { return id.to_string(); }
inline Parameter parameter(std::nullopt_t) { return std::nullopt; }
Parameter parameter(Instant instant);
Parameter parameter(std::span<const std::uint8_t> bytes);    // bytea
Parameter parameter(const std::vector<std::string>& texts);  // text[]
Parameter parameter(const std::vector<Parameter>& values);   // array of any type
Parameter parameter(const std::vector<Sha256>& hashes);      // bytea[]
Parameter parameter(const std::vector<Uuid>& ids);           // uuid[]
template <class Value>
Parameter parameter(const std::optional<Value>& value) {
  return value ? parameter(*value) : std::nullopt;
}

// An array in PostgreSQL's text form, built element by element.
class Array {
 public:
  template <class Value>
  void add(const Value& value) {
    if constexpr (std::convertible_to<Value, std::string_view>) {
      add_text(value);
    } else {
      add_text(*parameter(value));
    }
  }
  template <class Value>
  void add(const std::optional<Value>& value) {
    value ? add(*value) : add(std::nullopt);
  }
  void add(std::nullopt_t) {
    separate();
    text_ += "NULL";
  }

  std::string finish() && {
    text_ += '}';
    return std::move(text_);
  }

 private:
  void separate() {
    if (text_.size() > 1) text_ += ',';
  }
  void add_text(std::string_view value);

  std::string text_ = "{";
};

struct Statement {
  const Query* query;
  std::vector<Parameter> parameters;
  bool own = false;  // added by the client itself; the caller gets no result for it
};

class Group {
 public:
  template <class... Values>
  Group& add(const Query& query, const Values&... values) {
    assert(statements_.size() < limits::kStatementsPerGroup);
    statements_.push_back({&query, {parameter(values)...}, false});
    return *this;
  }

  // Takes parameters that are already in text form.
  Group& add_prepared(const Query& query, std::vector<Parameter> parameters) {
    assert(statements_.size() < limits::kStatementsPerGroup);
    statements_.push_back({&query, std::move(parameters), false});
    return *this;
  }

  // Adds a statement of the client itself; the caller gets no result for it.
  template <class... Values>
  Group& add_own(const Query& query, const Values&... values) {
    statements_.push_back({&query, {parameter(values)...}, true});
    return *this;
  }

  // Makes all statements the client's own.
  Group as_own() &&;

  // Appends the statements of another group.
  Group& append(Group other);

  bool empty() const { return statements_.empty(); }
  const std::vector<Statement>& statements() const { return statements_; }

  // Returns the group with `set_timeout` inserted where the time limit changes. `standard` is in
  // force before and after the group.
  Group with_time_limits(const Query& set_timeout, std::chrono::milliseconds standard) &&;

 private:
  std::vector<Statement> statements_;
};

}  // namespace shopbell::pg
