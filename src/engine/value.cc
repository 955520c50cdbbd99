#include "engine/value.h"

#include <compare>

#include "base/identity.h"

namespace shopbell::engine {

namespace {

using Kind = ValueType::Kind;

Value moment_of(std::string_view text) {
  if (const auto date = parse_date(text)) return *date;
  if (const auto instant = parse_rfc3339(text)) return *instant;
  return Missing{};
}

template <class Any>
int sign_of(const Any& left, const Any& right) {
  return left < right ? -1 : right < left ? 1 : 0;
}

bool is_moment(const Value& value) {
  return std::holds_alternative<Date>(value) || std::holds_alternative<Instant>(value);
}

// A text beside a number or a moment is read as one.
Value as_like(const Value& value, const Value& other) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return value;
  if (std::holds_alternative<Decimal>(other)) {
    if (const auto number = Decimal::parse(*text)) return *number;
    return Missing{};
  }
  return is_moment(other) ? moment_of(*text) : value;
}

int order_of_moments(const Value& left, const Value& right, Zone zone) {
  const auto* left_time = std::get_if<Instant>(&left);
  const auto* right_time = std::get_if<Instant>(&right);
  if (left_time != nullptr && right_time != nullptr) return sign_of(*left_time, *right_time);
  return sign_of(*date_of(left, zone), *date_of(right, zone));
}

int order_of_texts(const std::string& left, const std::string& right, const Comparing& how) {
  if (how.untyped) {
    const auto a = Decimal::parse(left);
    const auto b = Decimal::parse(right);
    if (a && b) return sign_of(*a, *b);
    const Value left_moment = moment_of(left);
    const Value right_moment = moment_of(right);
    if (!is_missing(left_moment) && !is_missing(right_moment))
      return order_of_moments(left_moment, right_moment, how.zone);
  }
  return how.exact ? left.compare(right) : fold_case(left).compare(fold_case(right));
}

}  // namespace

Value read_value(const json::Value& value, Kind kind) {
  switch (value.type()) {
    case json::Type::null:
      return Missing{};
    case json::Type::boolean:
      return value.boolean();
    case json::Type::list:
    case json::Type::object:
      return value;
    case json::Type::number: {
      const auto number = Decimal::parse(value.number_text());
      return number ? Value{*number} : Value{std::string{value.number_text()}};
    }
    case json::Type::text:
      break;
  }
  if (kind == Kind::number) {
    const auto number = Decimal::parse(value.text());
    return number ? Value{*number} : Value{Missing{}};
  }
  if (kind == Kind::date || kind == Kind::time) return moment_of(value.text());
  return std::string{value.text()};
}

std::optional<Decimal> number_of(const Value& value) {
  if (const auto* number = std::get_if<Decimal>(&value)) return *number;
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? std::nullopt : Decimal::parse(*text);
}

std::optional<Date> date_of(const Value& value, Zone zone) {
  if (const auto* date = std::get_if<Date>(&value)) return *date;
  if (const auto* instant = std::get_if<Instant>(&value)) return local_date(zone, *instant);
  if (const auto* text = std::get_if<std::string>(&value)) {
    const Value moment = moment_of(*text);
    if (!is_missing(moment)) return date_of(moment, zone);
  }
  return std::nullopt;
}

std::optional<Instant> instant_of(const Value& value, Zone zone) {
  if (const auto* instant = std::get_if<Instant>(&value)) return *instant;
  if (const auto* text = std::get_if<std::string>(&value)) {
    const Value moment = moment_of(*text);
    return is_missing(moment) ? std::nullopt : instant_of(moment, zone);
  }
  const auto* date = std::get_if<Date>(&value);
  if (date == nullptr) return std::nullopt;
  return instant_of(zone, LocalTime{std::chrono::local_days{*date}});
}

std::optional<std::string> text_of(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* number = std::get_if<Decimal>(&value)) return number->to_string();
  if (const auto* instant = std::get_if<Instant>(&value)) return to_rfc3339(*instant);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  if (const auto* date = std::get_if<Date>(&value))
    return to_rfc3339(std::chrono::sys_days{*date}).substr(0, 10);
  return std::nullopt;
}

std::optional<int> order_of(const Value& left, const Value& right, const Comparing& how) {
  const Value a = as_like(left, right);
  const Value b = as_like(right, left);
  if (is_moment(a) && is_moment(b)) return order_of_moments(a, b, how.zone);
  const auto* left_text = std::get_if<std::string>(&a);
  const auto* right_text = std::get_if<std::string>(&b);
  if (left_text != nullptr && right_text != nullptr)
    return order_of_texts(*left_text, *right_text, how);
  const auto* left_number = std::get_if<Decimal>(&a);
  const auto* right_number = std::get_if<Decimal>(&b);
  if (left_number != nullptr && right_number != nullptr)
    return sign_of(*left_number, *right_number);
  const auto* left_truth = std::get_if<bool>(&a);
  const auto* right_truth = std::get_if<bool>(&b);
  if (left_truth != nullptr && right_truth != nullptr) return sign_of(*left_truth, *right_truth);
  return std::nullopt;
}

Truth has_part(const Value& left, const Value& right, Part part, bool exact) {
  const auto whole_text = text_of(left);
  const auto part_text = text_of(right);
  if (!whole_text || !part_text) return Truth::unknown;
  const std::string whole = exact ? *whole_text : fold_case(*whole_text);
  const std::string wanted = exact ? *part_text : fold_case(*part_text);
  switch (part) {
    case Part::start:
      return truth_of(whole.starts_with(wanted));
    case Part::end:
      return truth_of(whole.ends_with(wanted));
    default:
      return truth_of(whole.contains(wanted));
  }
}

}  // namespace shopbell::engine
