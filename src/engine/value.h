// Value: one value that a condition compares or a node uses, read from JSON by its type.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/decimal.h"
#include "base/time.h"
#include "engine/local_time.h"
#include "engine/value_type.h"
#include "json/document.h"

namespace shopbell::engine {

struct Missing {};

// A list or an object stays JSON.
using Value = std::variant<Missing, bool, Decimal, std::string, Date, Instant, json::Value>;

inline bool is_missing(const Value& value) { return std::holds_alternative<Missing>(value); }

// Reads a value of the given type. A value that does not fit the type, such as a text that is no
// number, is missing. JSON null is missing. Without a type, texts stay texts.
Value read_value(const json::Value& value, ValueType::Kind kind);

std::optional<Decimal> number_of(const Value& value);
// Returns the day of a date, or the local day of a time.
std::optional<Date> date_of(const Value& value, Zone zone);
// Returns the time, or the start of the local day of a date.
std::optional<Instant> instant_of(const Value& value, Zone zone);
// Returns a text, or a number, a date or a time in its JSON form, such as for the key of a run.
std::optional<std::string> text_of(const Value& value);

// Three-valued logic: a comparison with a missing value is unknown, and so is its negation.
enum class Truth { no, unknown, yes };
constexpr Truth operator!(Truth truth) {
  return truth == Truth::unknown ? truth : truth == Truth::yes ? Truth::no : Truth::yes;
}
constexpr Truth truth_of(bool value) { return value ? Truth::yes : Truth::no; }

// The context of a comparison. Texts compare without regard to case unless `exact`. A time compares
// with a date by its local day. `untyped`: the definition does not tell the type of the left value;
// two texts then compare as numbers or as times if both are.
struct Comparing {
  Zone zone = nullptr;
  bool exact = false;
  bool untyped = false;
};

// Returns less than 0, 0, or greater than 0; nullopt if one value is missing or they cannot be
// compared.
std::optional<int> order_of(const Value& left, const Value& right, const Comparing& how);

// Texts: whether `left` contains, starts with or ends with `right`.
enum class Part { anywhere, start, end };
Truth has_part(const Value& left, const Value& right, Part part, bool exact);

}  // namespace shopbell::engine
