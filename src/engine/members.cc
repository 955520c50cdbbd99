#include "engine/members.h"

#include <algorithm>
#include <array>
#include <format>
#include <stdexcept>

namespace shopbell::engine {

json::Value required_member(const json::Value& source, std::string_view name) {
  const auto found = source.member(name);
  if (!found) throw std::invalid_argument{std::format("there is no member {}", name)};
  return *found;
}

std::string text_member(const json::Value& source, std::string_view name, std::string other) {
  const auto found = source.member(name);
  return found && found->type() == json::Type::text ? std::string{found->text()} : other;
}

bool flag_member(const json::Value& source, std::string_view name) {
  const auto found = source.member(name);
  return found && found->type() == json::Type::boolean && found->boolean();
}

std::optional<Decimal> number_member(const json::Value& source, std::string_view name) {
  const auto found = source.member(name);
  if (!found) return std::nullopt;
  const auto number =
      Decimal::parse(found->type() == json::Type::text ? found->text() : found->number_text());
  if (!number) throw std::invalid_argument{"not a number: " + found->to_json()};
  return number;
}

std::optional<std::int64_t> count_member(const json::Value& source, std::string_view name) {
  const auto number = number_member(source, name);
  return number ? std::optional{std::stoll(number->to_string())} : std::nullopt;
}

Duration duration_of(const json::Value& value) {
  const auto duration =
      value.type() == json::Type::text ? parse_duration(value.text()) : std::nullopt;
  if (!duration) throw std::invalid_argument{"not a duration: " + value.to_json()};
  return *duration;
}

std::optional<Duration> duration_member(const json::Value& source, std::string_view name) {
  const auto found = source.member(name);
  return found ? std::optional{duration_of(*found)} : std::nullopt;
}

std::optional<std::chrono::minutes> clock_member(const json::Value& source, std::string_view name) {
  const auto found = source.member(name);
  if (!found) return std::nullopt;
  const auto clock = parse_clock(found->text());
  if (!clock) throw std::invalid_argument{"not a time of day: " + found->to_json()};
  return clock;
}

Weekdays weekday_of(std::string_view name) {
  constexpr std::array<std::string_view, 7> kDays{"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
  const auto* found = std::ranges::find(kDays, name);
  return found == kDays.end() ? 0U : 1U << static_cast<unsigned>(found - kDays.begin());
}

Weekdays weekdays_member(const json::Value& source) {
  Weekdays days = 0;
  if (const auto list = source.member("weekdays"))
    list->for_each(
        [&](std::string_view, const json::Value& day) { days |= weekday_of(day.text()); });
  return days;
}

}  // namespace shopbell::engine
