// The compiled form of expressions: `a.b[1] > 2 and c`, `price | times: 2 | money`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "liquid/filters.h"
#include "liquid/value.h"

namespace shopbell::liquid {

// Position in the source, in bytes.
using Place = std::uint32_t;

struct Operand;

// One step of a path: a name, or an expression in brackets.
using Segment = std::variant<std::string_view, std::unique_ptr<Operand>>;

// A variable, by the number of its name; see Compiled::names.
struct Variable {
  std::size_t name = 0;
};
// The item, or the state, of the loop at that depth; the outermost loop has depth 0.
struct LoopItem {
  std::size_t depth = 0;
};
struct LoopState {
  std::size_t depth = 0;
};
struct Range {
  std::unique_ptr<Operand> first;
  std::unique_ptr<Operand> last;
};

struct Operand {
  std::variant<Value, Variable, LoopItem, LoopState, Range> base = Value{};
  std::vector<Segment> segments;
};

enum class Operator : std::uint8_t {
  equal,
  not_equal,
  less,
  less_or_equal,
  greater,
  greater_or_equal,
  contains,
  logical_and,
  logical_or,
  logical_not,  // has no left side
};

struct Expression {
  Operand operand;  // if there is no operator
  std::optional<Operator> operation;
  std::unique_ptr<Expression> left;
  std::unique_ptr<Expression> right;
};

struct FilterCall {
  const Filter* filter = nullptr;
  std::vector<Operand> arguments;
  std::optional<Operand> allow_false;
  Place place = 0;
};

// An expression with its filters.
struct Filtered {
  Expression expression;
  std::vector<FilterCall> filters;
};

}  // namespace shopbell::liquid
