// Condition: a compiled condition of a trigger, a branch, an exit or a schedule.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/duration.h"
#include "engine/view.h"

namespace shopbell::engine {

// The current time plus an offset: {"now": "-P90D"}.
struct NowOperand {
  Duration offset;
};
// A date plus an offset: {"date": ref, "plus": "P7D" | {"days": ref, "times": ref}}.
struct DateOperand {
  Reference date;
  Duration offset;
  std::optional<Reference> days;
  std::optional<Reference> times;
};
using Literal = std::variant<Missing, bool, Decimal, std::string, Date, Instant>;
using Operand = std::variant<Literal, Reference, NowOperand, DateOperand>;

Value value_of(const Operand& operand, const View& view);

enum class Operator {
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  in,
  not_in,
  contains,
  contains_any,
  starts_with,
  ends_with,
  exists,
  before,
  after,
  within_last,
  anniversary_in,
};

struct Comparison {
  Reference value;
  Operator op = Operator::eq;
  std::vector<Operand> to;  // several for `in`, `notIn` and `containsAny`, else at most one
  Duration duration;        // of `withinLast` and `anniversaryIn`
  bool present = true;      // of `exists`
  bool exact = false;
};

struct Condition;

// {"did": kind, …}: counts the contact's past events.
struct Occurrences {
  std::string kind;
  std::unique_ptr<Condition> where;  // null: all events of the kind
  std::int64_t times_min = 1;
  std::optional<std::int64_t> times_max;
  std::optional<Reference> sum;
  std::optional<Decimal> sum_min;
  std::optional<Decimal> sum_max;
  std::optional<Duration> within;
  std::optional<Operand> since;
};

// {"some": list, "where": …}, and the same with `every` and `none`.
struct Quantifier {
  enum class Kind { some, every, none };
  Kind kind = Kind::some;
  Reference list;
  std::unique_ptr<Condition> where;
};

struct Combination {
  enum class Kind { all, any, negation };
  Kind kind = Kind::all;
  std::vector<Condition> parts;
};

struct Condition {
  std::variant<Comparison, Occurrences, Quantifier, Combination> form;
};

// Judges a condition. A missing history becomes a need of the view, and counts as unknown.
Truth judge(const Condition& condition, const View& view);

// True if there is no condition, or if it is true; unknown does not match.
inline bool matches(const std::optional<Condition>& condition, const View& view) {
  return !condition || judge(*condition, view) == Truth::yes;
}

// Compile conditions and operands that validation has accepted. Throw std::invalid_argument for
// others. `kind` is the type of the value beside the operand.
Condition compile_condition(const json::Value& source, const ReferenceTypes& types,
                            const std::map<std::string, ValueType, std::less<>>& events);
Operand compile_operand(const json::Value& source, ValueType::Kind kind,
                        const ReferenceTypes& types);

// Adds the kinds of past events that the condition counts.
void add_history_kinds(const Condition& condition, std::set<std::string>& kinds);

}  // namespace shopbell::engine
