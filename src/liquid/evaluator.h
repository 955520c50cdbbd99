// Evaluator: computes expressions during a rendering.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "liquid/nodes.h"
#include "liquid/workspace.h"

namespace shopbell::liquid {

class Evaluator {
 public:
  Evaluator(const Compiled& compiled, const Data& data, const Context& context);

  Value operand(const Operand& operand) { return operand_with_currency(operand, nullptr); }
  Value filtered(const Filtered& filtered);
  bool is_met(const Filtered& condition) { return is_true(filtered(condition)); }

  void assign(std::size_t name, const Value& value) { variables_[name] = value; }
  // The loops around the current node, the outermost first.
  std::vector<Loop>& loops() { return loops_; }

  Workspace& work() { return work_; }
  // The place of the evaluation; errors are reported there.
  Place place() const { return place_; }
  void set_place(Place place) { place_ = place; }

  // Also returns the currency of the nearest object around the value that has one.
  Value operand_with_currency(const Operand& operand, std::string_view* currency);

 private:
  Value base_value(const Operand& operand, std::string_view* currency);
  Value range(const Range& range);
  Value expression(const Expression& expression, std::string_view* currency);
  bool compare(const Expression& expression);
  Value apply(const FilterCall& call, const Value& value, std::string_view currency);

  Workspace work_;
  std::vector<Value> roots_;                     // by name
  std::vector<std::optional<Value>> variables_;  // by name; empty until assigned
  std::vector<Loop> loops_;
  Place place_ = 0;
};

}  // namespace shopbell::liquid
