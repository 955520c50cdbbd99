#include "engine/condition.h"

#include <algorithm>

namespace shopbell::engine {

namespace {

Truth judge_order(const Comparison& comparison, const Value& left, const View& view) {
  const Comparing how{.zone = view.zone,
                      .exact = comparison.exact,
                      .untyped = comparison.value.kind == ValueType::Kind::any};
  const auto order = order_of(left, value_of(comparison.to.front(), view), how);
  if (!order) return Truth::unknown;
  switch (comparison.op) {
    case Operator::eq:
      return truth_of(*order == 0);
    case Operator::ne:
      return truth_of(*order != 0);
    case Operator::lt:
    case Operator::before:
      return truth_of(*order < 0);
    case Operator::le:
      return truth_of(*order <= 0);
    case Operator::gt:
    case Operator::after:
      return truth_of(*order > 0);
    default:
      return truth_of(*order >= 0);
  }
}

// Calls `one` for each value of the right side; a reference may name a list.
template <class One>
Truth any_of_right(const Comparison& comparison, const View& view, One one) {
  Truth found = Truth::no;
  const auto judge_one = [&](const Value& value) { found = std::max(found, one(value)); };
  for (const auto& operand : comparison.to) {
    const Value value = value_of(operand, view);
    const auto* list = std::get_if<json::Value>(&value);
    if (list == nullptr) {
      judge_one(value);
    } else {
      list->for_each([&](std::string_view, const json::Value& element) {
        judge_one(read_value(element, ValueType::Kind::any));
      });
    }
  }
  return found;
}

Truth is_equal(const Comparison& comparison, const Value& left, const Value& right,
               const View& view) {
  const auto order = order_of(left, right,
                              {.zone = view.zone,
                               .exact = comparison.exact,
                               .untyped = comparison.value.kind == ValueType::Kind::any});
  return order ? truth_of(*order == 0) : Truth::unknown;
}

Truth contains(const Comparison& comparison, const Value& left, const Value& right,
               const View& view) {
  const auto* list = std::get_if<json::Value>(&left);
  if (list == nullptr) return has_part(left, right, Part::anywhere, comparison.exact);
  if (list->type() != json::Type::list || is_missing(right)) return Truth::unknown;
  Truth found = Truth::no;
  list->for_each([&](std::string_view, const json::Value& element) {
    const Value one = read_value(element, ValueType::Kind::any);
    if (is_equal(comparison, one, right, view) == Truth::yes) found = Truth::yes;
  });
  return found;
}

// withinLast: from `duration` ago until now, not in the future.
Truth judge_recent(const Comparison& comparison, const Value& left, const View& view) {
  Duration back = comparison.duration;
  back.negative = true;
  const Instant from = plus(view.zone, view.now, back);
  const auto* text = std::get_if<std::string>(&left);
  const auto* typed = std::get_if<Date>(&left);
  if (const auto date = text ? parse_date(*text) : typed ? std::optional{*typed} : std::nullopt)
    return truth_of(*date >= local_date(view.zone, from) &&
                    *date <= local_date(view.zone, view.now));
  const auto instant = instant_of(left, view.zone);
  if (!instant) return Truth::unknown;
  return truth_of(*instant >= from && *instant <= view.now);
}

// anniversaryIn: the next anniversary is today, or at most `duration` away.
Truth judge_anniversary(const Comparison& comparison, const Value& left, const View& view) {
  const auto date = date_of(left, view.zone);
  if (!date) return Truth::unknown;
  const Date today = local_date(view.zone, view.now);
  return truth_of(next_anniversary(*date, today) <= plus(today, comparison.duration));
}

Truth judge_comparison(const Comparison& comparison, const View& view) {
  const Value left = view.read(comparison.value);
  if (comparison.op == Operator::exists) return truth_of(!is_missing(left) == comparison.present);
  if (is_missing(left)) return Truth::unknown;
  const auto right = [&](auto one) { return any_of_right(comparison, view, one); };
  switch (comparison.op) {
    case Operator::in:
      return right([&](const Value& value) { return is_equal(comparison, left, value, view); });
    case Operator::not_in:
      return !right([&](const Value& value) { return is_equal(comparison, left, value, view); });
    case Operator::contains:
    case Operator::contains_any:
      return right([&](const Value& value) { return contains(comparison, left, value, view); });
    case Operator::starts_with:
      return right(
          [&](const Value& value) { return has_part(left, value, Part::start, comparison.exact); });
    case Operator::ends_with:
      return right(
          [&](const Value& value) { return has_part(left, value, Part::end, comparison.exact); });
    case Operator::within_last:
      return judge_recent(comparison, left, view);
    case Operator::anniversary_in:
      return judge_anniversary(comparison, left, view);
    default:
      return judge_order(comparison, left, view);
  }
}

Truth judge_quantifier(const Quantifier& quantifier, const View& view) {
  const Value value = view.read(quantifier.list);
  const auto* list = std::get_if<json::Value>(&value);
  if (list == nullptr || list->type() != json::Type::list) return Truth::unknown;
  Truth least = Truth::yes;  // of all elements
  Truth most = Truth::no;
  View inside = view;
  list->for_each([&](std::string_view, const json::Value& element) {
    inside.item = element;
    const Truth one = judge(*quantifier.where, inside);
    least = std::min(least, one);
    most = std::max(most, one);
  });
  switch (quantifier.kind) {
    case Quantifier::Kind::every:
      return least;
    case Quantifier::Kind::none:
      return !most;
    default:
      return most;
  }
}

// Returns the first instant whose events count; nullopt if `since` names a missing value.
std::optional<Instant> start_of(const Occurrences& occurrences, const View& view) {
  if (occurrences.since) return instant_of(value_of(*occurrences.since, view), view.zone);
  if (!occurrences.within) return Instant{};
  Duration back = *occurrences.within;
  back.negative = true;
  return plus(view.zone, view.now, back);
}

// Returns the loaded history; null, with a need, if it is not loaded from `since` on.
const History* history_of(const std::string& kind, Instant since, const View& view) {
  if (view.facts != nullptr) {
    const auto found = view.facts->histories.find(kind);
    if (found != view.facts->histories.end() && found->second.since <= since) return &found->second;
  }
  if (view.needs != nullptr) view.needs->push_back(HistoryNeed{kind, since});
  return nullptr;
}

Truth judge_occurrences(const Occurrences& occurrences, const View& view) {
  const auto since = start_of(occurrences, view);
  if (!since) return Truth::unknown;
  const History* history = history_of(occurrences.kind, *since, view);
  if (history == nullptr) return Truth::unknown;
  std::int64_t times = 0;
  Decimal sum;
  View inside = view;
  for (const auto& event : history->events) {
    const auto at = parse_rfc3339(text_at(event, "occurredAt"));
    if (!at || *at < *since) continue;
    inside.event = event;
    if (occurrences.where && judge(*occurrences.where, inside) != Truth::yes) continue;
    ++times;
    const auto number = occurrences.sum ? number_of(inside.read(*occurrences.sum)) : std::nullopt;
    if (number) sum = sum.plus(*number).value_or(sum);
  }
  const bool enough =
      times >= occurrences.times_min && (!occurrences.times_max || times <= *occurrences.times_max);
  const bool within = (!occurrences.sum_min || sum >= *occurrences.sum_min) &&
                      (!occurrences.sum_max || sum <= *occurrences.sum_max);
  return truth_of(enough && within);
}

Truth judge_combination(const Combination& combination, const View& view) {
  if (combination.kind == Combination::Kind::negation)
    return !judge(combination.parts.front(), view);
  const bool is_all = combination.kind == Combination::Kind::all;
  const Truth final = is_all ? Truth::no : Truth::yes;  // decides, whatever the others are
  Truth result = !final;
  for (const auto& part : combination.parts) {
    const Truth one = judge(part, view);
    if (one == final) return final;
    result = is_all ? std::min(result, one) : std::max(result, one);
  }
  return result;
}

Value date_value(const DateOperand& operand, const View& view) {
  const auto date = date_of(view.read(operand.date), view.zone);
  if (!date) return Missing{};
  if (!operand.days) return plus(*date, operand.offset);
  const auto days = number_of(view.read(*operand.days));
  const auto times =
      operand.times ? number_of(view.read(*operand.times)) : Decimal::from_integer(1);
  const auto product =
      days && times ? days->scaled(*times, Decimal::from_integer(1)) : std::nullopt;
  const auto offset = product ? duration_of_days(*product) : std::nullopt;
  return offset ? Value{plus(*date, *offset)} : Value{Missing{}};
}

}  // namespace

Value value_of(const Operand& operand, const View& view) {
  if (const auto* literal = std::get_if<Literal>(&operand))
    return std::visit([](const auto& value) -> Value { return value; }, *literal);
  if (const auto* reference = std::get_if<Reference>(&operand)) return view.read(*reference);
  if (const auto* now = std::get_if<NowOperand>(&operand))
    return plus(view.zone, view.now, now->offset);
  return date_value(std::get<DateOperand>(operand), view);
}

Truth judge(const Condition& condition, const View& view) {
  if (const auto* comparison = std::get_if<Comparison>(&condition.form))
    return judge_comparison(*comparison, view);
  if (const auto* occurrences = std::get_if<Occurrences>(&condition.form))
    return judge_occurrences(*occurrences, view);
  if (const auto* quantifier = std::get_if<Quantifier>(&condition.form))
    return judge_quantifier(*quantifier, view);
  return judge_combination(std::get<Combination>(condition.form), view);
}

void add_history_kinds(const Condition& condition, std::set<std::string>& kinds) {
  if (const auto* occurrences = std::get_if<Occurrences>(&condition.form))
    kinds.insert(occurrences->kind);
  if (const auto* combination = std::get_if<Combination>(&condition.form))
    for (const auto& part : combination->parts) add_history_kinds(part, kinds);
  if (const auto* quantifier = std::get_if<Quantifier>(&condition.form))
    add_history_kinds(*quantifier->where, kinds);
}

}  // namespace shopbell::engine
