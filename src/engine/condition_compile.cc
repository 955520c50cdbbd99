#include <algorithm>
#include <array>
#include <stdexcept>

#include "engine/condition.h"
#include "engine/members.h"

namespace shopbell::engine {

namespace {

using Kind = ValueType::Kind;
using EventTypes = std::map<std::string, ValueType, std::less<>>;

constexpr std::array<std::pair<std::string_view, Operator>, 17> kOperators{
    {{"eq", Operator::eq},
     {"ne", Operator::ne},
     {"lt", Operator::lt},
     {"le", Operator::le},
     {"gt", Operator::gt},
     {"ge", Operator::ge},
     {"in", Operator::in},
     {"notIn", Operator::not_in},
     {"contains", Operator::contains},
     {"containsAny", Operator::contains_any},
     {"startsWith", Operator::starts_with},
     {"endsWith", Operator::ends_with},
     {"exists", Operator::exists},
     {"before", Operator::before},
     {"after", Operator::after},
     {"withinLast", Operator::within_last},
     {"anniversaryIn", Operator::anniversary_in}}};

Kind kind_of_element(std::string_view path, const ReferenceTypes& types, Kind kind) {
  if (kind != Kind::list) return kind;
  const auto type = type_at(path, types);
  return type && !type->item.empty() ? type->item.front().kind : Kind::any;
}

void compile_right_side(Comparison& comparison, const json::Value& to, Kind kind,
                        const ReferenceTypes& types) {
  switch (comparison.op) {
    case Operator::exists:
      comparison.present = to.boolean();
      return;
    case Operator::within_last:
    case Operator::anniversary_in:
      comparison.duration = duration_of(to);
      return;
    default:
      break;
  }
  if (to.type() != json::Type::list) {
    comparison.to.push_back(compile_operand(to, kind, types));
    return;
  }
  to.for_each([&](std::string_view, const json::Value& one) {
    comparison.to.push_back(compile_operand(one, kind, types));
  });
}

Condition compile_comparison(const json::Value& source, const ReferenceTypes& types) {
  const std::string_view path = required_member(source, "value").text();
  const std::string_view name = required_member(source, "op").text();
  const auto* op =
      std::ranges::find(kOperators, name, &std::pair<std::string_view, Operator>::first);
  if (op == kOperators.end())
    throw std::invalid_argument{"there is no operator " + std::string{name}};
  Comparison comparison{.value = compile_reference(path, types), .op = op->second};
  comparison.exact = flag_member(source, "exact");
  const auto to = source.member("to");
  if (to) {
    const Kind kind = kind_of_element(path, types, comparison.value.kind);
    compile_right_side(comparison, *to, kind, types);
  } else if (comparison.op != Operator::exists) {
    throw std::invalid_argument{"the condition has no `to`"};
  }
  return {std::move(comparison)};
}

std::unique_ptr<Condition> compile_where(const json::Value& source, const ReferenceTypes& types,
                                         const EventTypes& events) {
  const auto where = source.member("where");
  if (!where) return nullptr;
  return std::make_unique<Condition>(compile_condition(*where, types, events));
}

Condition compile_occurrences(const json::Value& source, const ReferenceTypes& types,
                              const EventTypes& events) {
  Occurrences occurrences;
  occurrences.kind = required_member(source, "did").text();
  ReferenceTypes inside = types;
  const auto type = events.find(occurrences.kind);
  inside.event = type == events.end() ? ValueType{} : type->second;
  occurrences.where = compile_where(source, inside, events);
  if (const auto times = source.member("times")) {
    occurrences.times_max = count_member(*times, "max");
    occurrences.times_min = count_member(*times, "min").value_or(0);
  } else if (source.member("sum")) {
    occurrences.times_min = 0;  // the sum alone decides
  }
  if (const auto sum = source.member("sum")) {
    occurrences.sum = compile_reference(required_member(*sum, "value").text(), inside);
    occurrences.sum_min = number_member(*sum, "min");
    occurrences.sum_max = number_member(*sum, "max");
  }
  occurrences.within = duration_member(source, "within");
  if (const auto since = source.member("since"))
    occurrences.since = compile_operand(*since, Kind::time, types);
  return {std::move(occurrences)};
}

Condition compile_quantifier(const json::Value& source, Quantifier::Kind kind,
                             const json::Value& list, const ReferenceTypes& types,
                             const EventTypes& events) {
  Quantifier quantifier{.kind = kind, .list = compile_reference(list.text(), types), .where = {}};
  ReferenceTypes inside = types;
  const auto type = type_at(list.text(), types);
  inside.item = type && !type->item.empty() ? type->item.front() : ValueType{};
  quantifier.where = compile_where(source, inside, events);
  if (!quantifier.where) throw std::invalid_argument{"the condition of a list has no `where`"};
  return {std::move(quantifier)};
}

Literal literal_of(const json::Value& source, Kind kind) {
  Value value = read_value(source, kind);
  if (is_missing(value) && source.type() == json::Type::text)
    throw std::invalid_argument{"the literal " + source.to_json() + " has another type"};
  return std::visit(
      [](auto one) -> Literal {
        if constexpr (std::is_same_v<decltype(one), json::Value>) {
          throw std::invalid_argument{"a literal is neither a list nor an object"};
        } else {
          return one;
        }
      },
      std::move(value));
}

DateOperand compile_date(const json::Value& source, const ReferenceTypes& types) {
  DateOperand operand{.date = compile_reference(required_member(source, "date").text(), types),
                      .offset = {},
                      .days = {},
                      .times = {}};
  const json::Value plus = required_member(source, "plus");
  if (plus.type() != json::Type::object) {
    operand.offset = duration_of(plus);
    return operand;
  }
  operand.days = compile_reference(required_member(plus, "days").text(), types);
  if (const auto times = plus.member("times"))
    operand.times = compile_reference(times->text(), types);
  return operand;
}

}  // namespace

Operand compile_operand(const json::Value& source, Kind kind, const ReferenceTypes& types) {
  if (source.type() != json::Type::object) return literal_of(source, kind);
  if (const auto ref = source.member("ref")) return compile_reference(ref->text(), types);
  if (const auto now = source.member("now")) return NowOperand{duration_of(*now)};
  return compile_date(source, types);
}

Condition compile_condition(const json::Value& source, const ReferenceTypes& types,
                            const EventTypes& events) {
  if (source.member("value")) return compile_comparison(source, types);
  if (source.member("did")) return compile_occurrences(source, types, events);
  constexpr std::array<std::pair<std::string_view, Quantifier::Kind>, 3> kQuantifiers{
      {{"some", Quantifier::Kind::some},
       {"every", Quantifier::Kind::every},
       {"none", Quantifier::Kind::none}}};
  for (const auto& [name, kind] : kQuantifiers) {
    if (const auto list = source.member(name))
      return compile_quantifier(source, kind, *list, types, events);
  }
  Combination combination;
  if (const auto inner = source.member("not")) {
    combination.kind = Combination::Kind::negation;
    combination.parts.push_back(compile_condition(*inner, types, events));
    return {std::move(combination)};
  }
  const auto all = source.member("all");
  combination.kind = all ? Combination::Kind::all : Combination::Kind::any;
  const json::Value parts = all ? *all : required_member(source, "any");
  parts.for_each([&](std::string_view, const json::Value& part) {
    combination.parts.push_back(compile_condition(part, types, events));
  });
  return {std::move(combination)};
}

}  // namespace shopbell::engine
