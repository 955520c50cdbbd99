// The filters `date` and `money`, which write values in the language of the message.
#include <algorithm>
#include <array>
#include <format>

#include "liquid/characters.h"
#include "liquid/filters.h"

namespace shopbell::liquid {

namespace {

using std::chrono::days;
using std::chrono::microseconds;
using std::chrono::seconds;
using LocalTime = std::chrono::local_time<microseconds>;

constexpr std::string_view kConversions = "aAbBdeHIjklmMpSyYzZ%";

// A point in time as people at one place see it.
struct Moment {
  LocalTime local;
  seconds offset{0};
  std::string zone = "UTC";
};

std::optional<Moment> moment_of(Instant instant, const std::chrono::time_zone* zone) {
  constexpr Instant kFirst{std::chrono::sys_days{std::chrono::year{1} / 1 / 2}};
  constexpr Instant kLast{std::chrono::sys_days{std::chrono::year{9999} / 12 / 30}};
  if (instant < kFirst || instant > kLast) return std::nullopt;
  if (zone == nullptr) return Moment{LocalTime{instant.time_since_epoch()}};
  const auto info = zone->get_info(instant);
  return Moment{LocalTime{(instant + info.offset).time_since_epoch()}, info.offset, info.abbrev};
}

// A date is a day of the calendar: it is the same day in every zone.
Moment moment_of(Date date, const std::chrono::time_zone* zone) {
  const LocalTime local{std::chrono::local_days{date}};
  if (zone == nullptr) return {local};
  const auto info = zone->get_info(local);
  return {local, info.first.offset, info.first.abbrev};
}

std::optional<Moment> moment_of_epoch(const Number& number, const std::chrono::time_zone* zone) {
  constexpr std::int64_t kMost = 1'000'000'000'000;
  const auto floor = rounded_down(number);
  const std::int64_t epoch = floor ? to_integer(*floor) : kMost;
  if (epoch >= kMost || epoch <= -kMost) return std::nullopt;
  return moment_of(Instant{seconds{epoch}}, zone);
}

std::optional<Moment> moment_of(const Value& value, const Context& context) {
  if (const auto* number = value.as<Number>()) return moment_of_epoch(*number, context.zone);
  const auto* text = value.as<std::string_view>();
  if (text == nullptr) return std::nullopt;
  if (*text == "now" || *text == "today") return moment_of(context.now, context.zone);
  if (const auto instant = parse_rfc3339(*text)) return moment_of(*instant, context.zone);
  if (const auto date = parse_date(*text)) return moment_of(*date, context.zone);
  if (text->empty() || text->find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  const auto number = parse_number(*text);
  return number ? moment_of_epoch(*number, context.zone) : std::nullopt;
}

// Writes one moment by strftime's conversions.
class DateWriter {
 public:
  DateWriter(const Moment& moment, const Context& context)
      : moment_{moment},
        context_{context},
        day_{std::chrono::floor<days>(moment.local)},
        date_{day_},
        time_{moment.local - day_} {}

  std::string write(char conversion, bool padded) {
    const auto hour = time_.hours().count();
    const auto hour12 = hour % 12 == 0 ? 12 : hour % 12;
    const auto number = [&](std::int64_t value, int width, char fill = '0') {
      std::string digits = std::to_string(value);
      if (padded && std::cmp_less(digits.size(), width))
        digits.insert(0, static_cast<std::size_t>(width) - digits.size(), fill);
      return digits;
    };
    switch (conversion) {
      case 'd':
        return number(unsigned{date_.day()}, 2);
      case 'e':
        return number(unsigned{date_.day()}, 2, ' ');
      case 'H':
        return number(hour, 2);
      case 'I':
        return number(hour12, 2);
      case 'j':
        return number((day_ - std::chrono::local_days{date_.year() / 1 / 1}).count() + 1, 3);
      case 'k':
        return number(hour, 2, ' ');
      case 'l':
        return number(hour12, 2, ' ');
      case 'm':
        return number(unsigned{date_.month()}, 2);
      case 'M':
        return number(time_.minutes().count(), 2);
      case 'S':
        return number(time_.seconds().count(), 2);
      case 'y':
        return number(int{date_.year()} % 100, 2);
      case 'Y':
        return number(int{date_.year()}, 4);
      default:
        return write_text(conversion);
    }
  }

 private:
  std::string write_text(char conversion) {
    using Width = LocalFormats::Width;
    LocalFormats& formats = context_.formats;
    const std::chrono::weekday weekday{day_};
    switch (conversion) {
      case 'a':
        return formats.weekday(weekday, Width::abbreviated, context_.locale);
      case 'A':
        return formats.weekday(weekday, Width::full, context_.locale);
      case 'b':
        return formats.month(date_.month(), Width::abbreviated, context_.locale);
      case 'B':
        return formats.month(date_.month(), Width::full, context_.locale);
      case 'p':
        return time_.hours().count() < 12 ? "AM" : "PM";
      case 'z': {
        const auto minutes = std::abs(moment_.offset.count()) / 60;
        return std::format("{}{:02}{:02}", moment_.offset.count() < 0 ? '-' : '+', minutes / 60,
                           minutes % 60);
      }
      case 'Z':
        return moment_.zone;
      default:
        return "%";
    }
  }

  const Moment& moment_;
  const Context& context_;
  std::chrono::local_days day_;
  Date date_;
  std::chrono::hh_mm_ss<microseconds> time_;
};

// One conversion at the start of a text: "%d" or "%-d". Its length is 0 if there is none.
struct Conversion {
  std::size_t length = 0;
  char letter = 0;
  bool padded = true;
};

Conversion conversion_at(std::string_view text) {
  Conversion found;
  std::size_t at = 1;
  if (text.substr(at).starts_with('-')) {
    found.padded = false;
    ++at;
  }
  if (at >= text.size() || !kConversions.contains(text[at])) return found;
  found.letter = text[at];
  found.length = at + 1;
  return found;
}

Value date(const FilterInput& in) {
  const Context& context = in.work.context;
  const auto moment = moment_of(in.value, context);
  if (!moment) return in.value;
  DateWriter writer{*moment, context};
  std::string_view format = in.text_argument(0);
  std::string text;
  while (!format.empty()) {
    const std::size_t percent = std::min(format.find('%'), format.size());
    in.work.append(text, format.substr(0, percent));
    format.remove_prefix(percent);
    if (format.empty()) break;
    in.work.step();
    const Conversion conversion = conversion_at(format);
    const std::size_t length = std::max<std::size_t>(conversion.length, 1);
    in.work.append(text, conversion.length == 0
                             ? std::string{format[0]}
                             : writer.write(conversion.letter, conversion.padded));
    format.remove_prefix(length);
  }
  return in.work.keep(text);
}

Value money(const FilterInput& in) {
  const Context& context = in.work.context;
  const auto amount = number_if_any(in.value);
  if (!amount) return in.value;
  std::string_view currency =
      in.has_argument(0) && !in.arguments[0].is<Nil>() ? in.text_argument(0) : in.currency;
  if (currency.empty()) currency = context.currency;
  return in.work.keep(context.formats.money(amount->value, currency, context.locale));
}

constexpr std::array kFormatFilters{
    Filter{"date", 1, 1, date, 10},
    Filter{"money", 0, 1, money, 20},
};

}  // namespace

std::string_view unknown_conversion(std::string_view format) {
  for (std::size_t at = format.find('%'); at != std::string_view::npos; at = format.find('%', at)) {
    const Conversion conversion = conversion_at(format.substr(at));
    if (conversion.length == 0) return characters(format.substr(at), 0, conversion.padded ? 2 : 3);
    at += conversion.length;
  }
  return {};
}

std::span<const Filter> format_filters() { return kFormatFilters; }

}  // namespace shopbell::liquid
