#include "resources/workflows/condition.h"

#include <algorithm>

namespace shopbell::workflows {

const std::vector<Operator>& operators() {
  using enum ValueType::Kind;
  const std::vector scalars{text, number, boolean, date, time};
  const std::vector ordered{number, date, time};
  const std::vector moments{date, time};
  static const std::vector<Operator> table{
      {"eq", "Is the same.", RightSide::one, scalars},
      {"ne", "Is another.", RightSide::one, scalars},
      {"lt", "Is less.", RightSide::one, ordered},
      {"le", "Is less or the same.", RightSide::one, ordered},
      {"gt", "Is more.", RightSide::one, ordered},
      {"ge", "Is more or the same.", RightSide::one, ordered},
      {"in", "Is one of these.", RightSide::several, scalars},
      {"notIn", "Is none of these.", RightSide::several, scalars},
      {"contains", "A text holds it, or a list has it.", RightSide::one, {text, list}},
      {"containsAny", "Holds or has one of these.", RightSide::several, {text, list}},
      {"startsWith", "A text begins so.", RightSide::one, {text}},
      {"endsWith", "A text ends so.", RightSide::one, {text}},
      {"exists", "There is a value; the only one that sees a missing one.", RightSide::truth, {}},
      {"before", "Is earlier.", RightSide::moment, moments},
      {"after", "Is later.", RightSide::moment, moments},
      {"withinLast", "Lies so far back at most.", RightSide::duration, moments},
      {"anniversaryIn", "Its next anniversary is so far away at most.", RightSide::duration,
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
