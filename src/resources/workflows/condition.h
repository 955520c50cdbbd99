// The grammar of conditions, which triggers, branches, exits and schedules share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/value_type.h"

namespace shopbell::workflows {

// The right operand of an operator.
enum class RightSide { one, several, moment, duration, truth };

struct Operator {
  std::string name;
  std::string doc;
  RightSide right;
  std::vector<engine::ValueType::Kind> kinds;  // valid types of the left operand; empty: any type
};

const std::vector<Operator>& operators();
const Operator* find_operator(std::string_view name);

// Returns the members that determine the form of a condition, which has exactly one of them.
const std::vector<std::string>& condition_forms();

}  // namespace shopbell::workflows
