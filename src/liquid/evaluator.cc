#include "liquid/evaluator.h"

#include <array>
#include <format>

namespace shopbell::liquid {

namespace {

constexpr std::size_t kArgumentsMax = 4;  // more than any filter takes

// A path beyond this object belongs to the object's currency.
void note_currency(const Value& value, std::string_view* currency) {
  const auto* object = value.as<Object>();
  if (currency == nullptr || object == nullptr) return;
  const auto found = object->json.member("currency");
  if (found && found->type() == json::Type::text) *currency = found->text();
}

}  // namespace

Evaluator::Evaluator(const Compiled& compiled, const Data& data, const Context& context)
    : work_{data, context}, roots_(compiled.names.size()), variables_(compiled.names.size()) {
  for (std::size_t name = 0; name < compiled.names.size(); ++name) {
    if (!compiled.is_root[name]) continue;
    if (compiled.names[name] == "products") {
      roots_[name] = Products{};
    } else if (const auto found = data.roots.find(compiled.names[name]);
               found != data.roots.end()) {
      roots_[name] = from_json(found->second);
    }
  }
}

Value Evaluator::base_value(const Operand& operand, std::string_view* currency) {
  if (const auto* literal = std::get_if<Value>(&operand.base)) return *literal;
  if (const auto* variable = std::get_if<Variable>(&operand.base)) {
    const auto& assigned = variables_[variable->name];
    return assigned ? *assigned : roots_[variable->name];
  }
  if (const auto* item = std::get_if<LoopItem>(&operand.base)) {
    const Loop& loop = loops_[item->depth];
    if (currency != nullptr) *currency = loop.currency;
    return loop.item;
  }
  if (const auto* state = std::get_if<LoopState>(&operand.base)) {
    // Only its members are values: a variable could outlive the loop.
    if (operand.segments.empty()) return Nil{};
    return &loops_[state->depth];
  }
  return range(std::get<Range>(operand.base));
}

Value Evaluator::operand_with_currency(const Operand& operand, std::string_view* currency) {
  Value value = base_value(operand, currency);
  for (const auto& segment : operand.segments) {
    note_currency(value, currency);
    if (const auto* name = std::get_if<std::string_view>(&segment)) {
      value = work_.member(value, *name);
    } else {
      value = work_.element(value, this->operand(*std::get<std::unique_ptr<Operand>>(segment)));
    }
  }
  return value;
}

Value Evaluator::range(const Range& range) {
  const auto first = number_if_any(operand(*range.first));
  const auto last = number_if_any(operand(*range.last));
  if (!first || !last || last->value < first->value) return List{};
  const std::int64_t from = to_integer(*first);
  const std::int64_t to = to_integer(*last);
  const auto count = static_cast<std::size_t>(to - from) + 1;
  if (count > work_.context.budgets.steps)
    throw Stop{std::format("The range ({}..{}) is too long.", from, to)};
  const std::span<Value> items = work_.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    items[i] = whole_number(from + static_cast<std::int64_t>(i));
  return List{items.data(), items.size()};
}

bool Evaluator::compare(const Expression& node) {
  const Value left = expression(*node.left, nullptr);
  const Value right = expression(*node.right, nullptr);
  const auto order = [&] {
    work_.step();
    return order_of(left, right);
  };
  switch (*node.operation) {
    case Operator::equal:
      return are_equal(work_, left, right);
    case Operator::not_equal:
      return !are_equal(work_, left, right);
    case Operator::less:
      return order().value_or(0) < 0;
    case Operator::less_or_equal:
      return order().value_or(1) <= 0;
    case Operator::greater:
      return order().value_or(0) > 0;
    case Operator::greater_or_equal:
      return order().value_or(-1) >= 0;
    default:
      return contains(work_, left, right);
  }
}

Value Evaluator::expression(const Expression& node, std::string_view* currency) {
  work_.step();
  if (!node.operation) return operand_with_currency(node.operand, currency);
  const auto truth = [&](const Expression& side) { return is_true(expression(side, nullptr)); };
  switch (*node.operation) {
    case Operator::logical_and:
      return truth(*node.left) && truth(*node.right);
    case Operator::logical_or:
      return truth(*node.left) || truth(*node.right);
    case Operator::logical_not:
      return !truth(*node.right);
    default:
      return compare(node);
  }
}

Value Evaluator::apply(const FilterCall& call, const Value& value, std::string_view currency) {
  place_ = call.place;
  work_.step(call.filter->steps * 32);
  if (const auto* text = value.as<std::string_view>()) work_.step(text->size());
  std::array<Value, kArgumentsMax> arguments;
  std::size_t count = 0;
  for (const auto& argument : call.arguments) {
    arguments[count] = operand(argument);
    const auto* text = arguments[count++].as<std::string_view>();
    if (text != nullptr) work_.step(text->size());
  }
  return call.filter->apply({.work = work_,
                             .value = value,
                             .arguments = std::span{arguments}.first(count),
                             .allow_false = call.allow_false && is_true(operand(*call.allow_false)),
                             .currency = currency});
}

Value Evaluator::filtered(const Filtered& filtered) {
  std::string_view currency;
  Value value = expression(filtered.expression, filtered.filters.empty() ? nullptr : &currency);
  for (const auto& call : filtered.filters) value = apply(call, value, currency);
  return value;
}

}  // namespace shopbell::liquid
