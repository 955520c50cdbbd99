#include "resources/workflows/condition.h"

#include <algorithm>

namespace shopbell::workflows {

const std::vector<Operator>& operators() {
  using enum engine::ValueType::Kind;
  const std::vector scalars{text, number, boolean, date, time};
  const std::vector ordered{number, date, time};
  const std::vector moments{date, time};
  static const std::vector<Operator> table{
      {"eq", "Equal.", RightSide::one, scalars},
      {"ne", "Not equal.", RightSide::one, scalars},
      {"lt", "Less than.", RightSide::one, ordered},
      {"le", "Less than or equal.", RightSide::one, ordered},
      {"gt", "Greater than.", RightSide::one, ordered},
      {"ge", "Greater than or equal.", RightSide::one, ordered},
      {"in", "Equal to one of the values.", RightSide::several, scalars},
      {"notIn", "Equal to none of the values.", RightSide::several, scalars},
      {"contains", "The text or list contains the value.", RightSide::one, {text, list}},
      {"containsAny",
       "The text or list contains one of the values.",
       RightSide::several,
       {text, list}},
      {"startsWith", "The text starts with the value.", RightSide::one, {text}},
      {"endsWith", "The text ends with the value.", RightSide::one, {text}},
      {"exists",
       "Has a value; the only operator that matches a missing value.",
       RightSide::truth,
       {}},
      {"before", "Earlier than.", RightSide::moment, moments},
      {"after", "Later than.", RightSide::moment, moments},
      {"withinLast", "At most this long ago.", RightSide::duration, moments},
      {"anniversaryIn", "The next anniversary is at most this far away.", RightSide::duration,
       moments}};
  return table;
}

const Operator* find_operator(std::string_view name) {
  const auto found = std::ranges::find(operators(), name, &Operator::name);
  return found == operators().end() ? nullptr : &*found;
}

const std::vector<std::string>& condition_forms() {
  static const std::vector<std::string> forms{"all",  "any",   "not",  "value",
                                              "some", "every", "none", "did"};
  return forms;
}

}  // namespace shopbell::workflows
