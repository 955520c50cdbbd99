#include <algorithm>
#include <array>
#include <format>

#include "base/decimal.h"
#include "base/limits.h"
#include "base/time.h"
#include "resources/workflows/checker.h"
#include "resources/workflows/condition.h"

namespace shopbell::workflows {

namespace {

using Kind = ValueType::Kind;

bool takes(const Operator& op, const ValueType& left) {
  return left.kind == Kind::any || op.kinds.empty() || std::ranges::contains(op.kinds, left.kind);
}

}  // namespace

void Checker::refuse_unknown(const json::Value& value, const std::vector<std::string>& members) {
  value.for_each([&](std::string_view name, const json::Value&) {
    if (!std::ranges::contains(members, name))
      refuse_member(reading_, name, "unknown-member", "There is no such member here.");
  });
}

void Checker::check_condition(const json::Value& value, const Scope& scope) {
  if (value.type() != json::Type::object) {
    reading_.refuse("wrong-type", "Expected a condition, which is an object.");
    return;
  }
  std::vector<std::string> forms;
  for (const auto& form : condition_forms()) {
    if (value.member(form)) forms.push_back(form);
  }
  if (forms.size() != 1) {
    reading_.refuse(
        forms.empty() ? "required" : "conflicts-with",
        std::format("A condition must have exactly one of: {}.", listed(condition_forms())));
    return;
  }
  const std::string& form = forms.front();
  if (form == "value") return check_comparison(value, scope);
  if (form == "did") return check_history(value, scope);
  if (form == "some" || form == "every" || form == "none")
    return check_quantifier(value, form, scope);
  refuse_unknown(value, {form});
  const json::Reading::Place place{reading_, form};
  const json::Value inner = *value.member(form);
  if (form == "not") return check_condition(inner, scope);
  check_list(inner,
             {.form = Form::list,
              .minimum = 1,
              .maximum = static_cast<std::int64_t>(limits::kWorkflowEdges),
              .item = {{.form = Form::condition}}},
             scope);
}

void Checker::check_comparison(const json::Value& value, const Scope& scope) {
  refuse_unknown(value, {"value", "op", "to", "exact"});
  std::optional<ValueType> left;
  {
    const json::Reading::Place place{reading_, "value"};
    left = resolve_here(*value.member("value"), scope);
  }
  if (const auto exact = value.member("exact")) {
    const json::Reading::Place place{reading_, "exact"};
    json::read_boolean(reading_, *exact);
  }
  const auto op = value.member("op");
  if (!op) return refuse_member(reading_, "op", "required", "Is missing.");
  const Operator* known = op->type() == json::Type::text ? find_operator(op->text()) : nullptr;
  if (known == nullptr) {
    std::vector<std::string> names;
    for (const auto& one : operators()) names.push_back(one.name);
    return refuse_member(reading_, "op", "not-an-option",
                         std::format("Must be one of: {}.", listed(names)));
  }
  if (left && !takes(*known, *left))
    return refuse_member(reading_, "op", "conflicts-with",
                         std::format("Cannot be used with {}.", name_of(left->kind)));
  const auto to = value.member("to");
  if (!to && known->right != RightSide::truth)
    return refuse_member(reading_, "to", "required", "Is missing.");
  if (!to || !left) return;
  const json::Reading::Place place{reading_, "to"};
  check_right_side(*to, known->name, *left, scope);
}

void Checker::check_right_side(const json::Value& value, std::string_view op, const ValueType& left,
                               const Scope& scope) {
  const ValueType element = left.kind == Kind::list ? left.item.front() : left;
  switch (find_operator(op)->right) {
    case RightSide::truth:
      json::read_boolean(reading_, value);
      return;
    case RightSide::duration:
      duration_of(value, false);
      return;
    case RightSide::one:
      return check_operand(value, element, scope);
    case RightSide::moment:
      return check_operand(value, {.kind = Kind::time}, scope);
    case RightSide::several:
      break;
  }
  if (value.type() == json::Type::object) return check_operand(value, list_of(element), scope);
  if (value.type() != json::Type::list) {
    reading_.refuse("wrong-type", "Expected a list of values.");
    return;
  }
  if (value.size() > limits::kFieldOptions)
    reading_.refuse("too-long", std::format("Takes at most {} values.", limits::kFieldOptions));
  std::size_t index = 0;
  value.for_each([&](std::string_view, const json::Value& one) {
    const json::Reading::Place place{reading_, std::to_string(index++)};
    check_operand(one, element, scope);
  });
}

void Checker::check_quantifier(const json::Value& value, std::string_view form,
                               const Scope& scope) {
  refuse_unknown(value, {std::string{form}, "where"});
  Scope inside = scope;
  inside.item = ValueType{};
  {
    const json::Reading::Place place{reading_, form};
    const auto list = resolve_here(*value.member(form), scope);
    if (list && list->kind == Kind::list) inside.item = list->item.front();
    if (list && !comparable(*list, list_of({})))
      reading_.refuse("conflicts-with",
                      std::format("Must be a list, but is {}.", name_of(list->kind)));
  }
  const auto where = value.member("where");
  if (!where) return refuse_member(reading_, "where", "required", "Is missing.");
  const json::Reading::Place place{reading_, "where"};
  check_condition(*where, inside);
}

void Checker::check_history(const json::Value& value, const Scope& scope) {
  refuse_unknown(value, {"did", "where", "times", "sum", "within", "since"});
  Scope inside = scope;
  {
    const json::Reading::Place place{reading_, "did"};
    const json::Value did = *value.member("did");
    const auto kind = text_of(did);
    inside.event = kind ? type_of_event(*kind) : std::nullopt;
    if (kind && !inside.event)
      reading_.refuse("unknown-reference", std::format("There is no kind of event {}.", *kind));
    if (!inside.event) inside.event = ValueType{};
  }
  if (const auto where = value.member("where")) {
    const json::Reading::Place place{reading_, "where"};
    check_condition(*where, inside);
  }
  if (const auto times = value.member("times")) {
    const json::Reading::Place place{reading_, "times"};
    check_range(*times, {"min", "max"});
  }
  if (const auto sum = value.member("sum")) {
    const json::Reading::Place place{reading_, "sum"};
    check_range(*sum, {"value", "min", "max"});
    const auto of = sum->type() == json::Type::object ? sum->member("value") : std::nullopt;
    if (of) {
      const json::Reading::Place inner{reading_, "value"};
      const auto type = resolve_here(*of, inside);
      if (type && !comparable(*type, {.kind = Kind::number}))
        reading_.refuse("conflicts-with",
                        std::format("Must be a number, but is {}.", name_of(type->kind)));
    } else if (sum->type() == json::Type::object) {
      refuse_member(reading_, "value", "required", "Is missing.");
    }
  }
  const auto refuse_long = [&](const std::optional<Duration>& window) {
    if (window && window->most_seconds() > std::chrono::seconds{limits::kEventsKept}.count())
      reading_.refuse("out-of-range", std::format("Events are stored for {} days only.",
                                                  limits::kEventsKept.count()));
  };
  const auto within = value.member("within");
  const auto since = value.member("since");
  if (within && since) reading_.refuse("conflicts-with", "Must have only one of: within, since.");
  if (within) {
    const json::Reading::Place place{reading_, "within"};
    refuse_long(duration_of(*within, false));
  }
  if (!since) return;
  const json::Reading::Place place{reading_, "since"};
  check_operand(*since, {.kind = Kind::time}, scope);
  const auto now = since->type() == json::Type::object ? since->member("now") : std::nullopt;
  if (now && now->type() == json::Type::text) refuse_long(parse_duration(now->text()));
}

// Checks a range {min, max}, which has at least one of the two.
void Checker::check_range(const json::Value& value, const std::vector<std::string>& members) {
  if (value.type() != json::Type::object) {
    reading_.refuse("wrong-type", "Expected an object.");
    return;
  }
  refuse_unknown(value, members);
  if (!value.member("min") && !value.member("max"))
    reading_.refuse("required", "Must have at least one of: min, max.");
  for (const std::string bound : {"min", "max"}) {
    const auto number = value.member(bound);
    if (!number) continue;
    const json::Reading::Place place{reading_, bound};
    check_literal(*number, {.kind = Kind::number});
  }
}

void Checker::check_operand(const json::Value& value, const ValueType& type, const Scope& scope) {
  value.type() == json::Type::object ? check_operand_object(value, type, scope)
                                     : check_literal(value, type);
}

void Checker::check_operand_object(const json::Value& value, const ValueType& type,
                                   const Scope& scope) {
  const auto refuse_kind = [&](const ValueType& found) {
    if (!comparable(type, found))
      reading_.refuse("conflicts-with", std::format("Must be {}, but is {}.", name_of(type.kind),
                                                    name_of(found.kind)));
  };
  if (const auto ref = value.member("ref")) {
    refuse_unknown(value, {"ref"});
    const json::Reading::Place place{reading_, "ref"};
    if (const auto found = resolve_here(*ref, scope)) refuse_kind(*found);
    return;
  }
  if (const auto now = value.member("now")) {
    refuse_unknown(value, {"now"});
    const json::Reading::Place place{reading_, "now"};
    duration_of(*now, true);
    return refuse_kind({.kind = Kind::time});
  }
  if (value.member("date")) {
    check_date_operand(value, scope);
    return refuse_kind({.kind = Kind::date});
  }
  reading_.refuse("required", "Must be a literal, or an object with one of: ref, now, date.");
}

void Checker::check_date_operand(const json::Value& value, const Scope& scope) {
  refuse_unknown(value, {"date", "plus"});
  const auto resolve_as = [&](const json::Value& ref, const ValueType& wanted) {
    const auto type = resolve_here(ref, scope);
    if (type && !comparable(*type, wanted))
      reading_.refuse("conflicts-with", std::format("Must be {}, but is {}.", name_of(wanted.kind),
                                                    name_of(type->kind)));
  };
  {
    const json::Reading::Place place{reading_, "date"};
    resolve_as(*value.member("date"), {.kind = Kind::date});
  }
  const auto plus = value.member("plus");
  if (!plus) return refuse_member(reading_, "plus", "required", "Is missing.");
  const json::Reading::Place place{reading_, "plus"};
  if (plus->type() != json::Type::object) {
    duration_of(*plus, true);
    return;
  }
  refuse_unknown(*plus, {"days", "times"});
  if (!plus->member("days")) refuse_member(reading_, "days", "required", "Is missing.");
  for (const std::string factor : {"days", "times"}) {
    const auto ref = plus->member(factor);
    if (!ref) continue;
    const json::Reading::Place inner{reading_, factor};
    resolve_as(*ref, {.kind = Kind::number});
  }
}

void Checker::check_literal(const json::Value& value, const ValueType& type) {
  const bool is_text = value.type() == json::Type::text;
  const auto expect = [&](bool holds, std::string_view code, std::string detail) {
    if (!holds) reading_.refuse(code, std::move(detail));
  };
  if (value.type() == json::Type::null || value.type() == json::Type::list)
    return reading_.refuse("wrong-type", std::format("Expected {}.", name_of(type.kind)));
  switch (type.kind) {
    case Kind::any:
      return;
    case Kind::number:
      return expect(value.type() == json::Type::number
                        ? Decimal::parse(value.number_text()).has_value()
                        : is_text && Decimal::parse(value.text()),
                    "wrong-type", "Expected a number, or its digits as a text.");
    case Kind::boolean:
      return expect(value.type() == json::Type::boolean, "wrong-type", "Expected true or false.");
    case Kind::date:
    case Kind::time:
      return expect(is_text && (parse_date(value.text()) || parse_rfc3339(value.text())),
                    "invalid-format", "Is neither a date nor an RFC 3339 time with offset.");
    case Kind::text:
      if (!is_text) return expect(false, "wrong-type", "Expected a text.");
      return expect(type.options.empty() || std::ranges::contains(type.options, value.text()),
                    "not-an-option", std::format("Must be one of: {}.", listed(type.options)));
    default:
      return expect(false, "wrong-type", std::format("Expected {}.", name_of(type.kind)));
  }
}

}  // namespace shopbell::workflows
