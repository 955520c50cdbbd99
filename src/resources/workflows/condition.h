// The grammar of conditions: one for triggers, branches, exits and schedules.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "resources/workflows/value_type.h"

namespace shopbell::workflows {

// The right operand of an operator.
enum class RightSide { one, several, moment, duration, truth };

struct Operator {
  std::string name;
  std::string doc;
  RightSide right;
  std::vector<ValueType::Kind> kinds;  // types of the left operand; empty: any
};

const std::vector<Operator>& operators();
const Operator* find_operator(std::string_view name);

// The members that determine the form of a condition: each condition has exactly one of them.
const std::vector<std::string>& condition_forms();

}  // namespace shopbell::workflows
