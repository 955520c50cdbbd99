// The grammar of conditions: one for triggers, branches, exits and schedules.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "resources/workflows/value_type.h"

namespace shopbell::workflows {

// What stands on the right of an operator.
enum class RightSide { one, several, moment, duration, truth };

struct Operator {
  std::string name;
  std::string doc;
  RightSide right;
  std::vector<ValueType::Kind> kinds;  // what it compares; none: anything
};

const std::vector<Operator>& operators();
const Operator* find_operator(std::string_view name);

// The member that says what a condition is: each has exactly one of them.
const std::vector<std::string>& condition_forms();

}  // namespace shopbell::workflows
