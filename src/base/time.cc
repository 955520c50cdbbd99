#include "base/time.h"

#include <charconv>

namespace shopbell {

namespace {

using namespace std::chrono;

// Parses the parts of a date and time in order. After any mismatch done() returns false.
class TimeReader {
 public:
  explicit TimeReader(std::string_view text) : rest_{text} {}

  int digits(std::size_t count) {
    int value = 0;
    if (rest_.size() < count) return fail();
    for (std::size_t i = 0; i < count; ++i) {
      if (rest_[i] < '0' || rest_[i] > '9') return fail();
      value = value * 10 + (rest_[i] - '0');
    }
    rest_.remove_prefix(count);
    return value;
  }

  char one_of(std::string_view allowed) {
    if (rest_.empty() || !allowed.contains(rest_.front())) {
      fail();
      return '\0';
    }
    const char found = rest_.front();
    rest_.remove_prefix(1);
    return found;
  }

  bool skip(char expected) {
    if (rest_.empty() || rest_.front() != expected) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // ".123456789": digits beyond microseconds are dropped.
  microseconds fraction() {
    if (!skip('.')) return {};
    std::int64_t value = 0;
    std::size_t count = 0;
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') {
      if (count < 6) value = value * 10 + (rest_.front() - '0');
      ++count;
      rest_.remove_prefix(1);
    }
    if (count == 0) fail();
    for (std::size_t i = count; i < 6; ++i) value *= 10;
    return microseconds{value};
  }

  sys_days date() {
    const int y = digits(4);
    one_of("-");
    const int m = digits(2);
    one_of("-");
    const int d = digits(2);
    const year_month_day day{year{y}, month{static_cast<unsigned>(m)},
                             std::chrono::day{static_cast<unsigned>(d)}};
    if (!day.ok() || y < 1) fail();
    return good_ ? sys_days{day} : sys_days{};
  }

  microseconds time_of_day() {
    const int h = digits(2);
    one_of(":");
    const int m = digits(2);
    one_of(":");
    const int s = digits(2);
    if (h > 23 || m > 59 || s > 59) fail();
    return hours{h} + minutes{m} + seconds{s} + fraction();
  }

  bool done() const { return good_ && rest_.empty(); }

 private:
  int fail() {
    good_ = false;
    return 0;
  }

  std::string_view rest_;
  bool good_ = true;
};

}  // namespace

std::string to_rfc3339(Instant instant) { return to_rfc3339_exactly(instant).replace(23, 3, ""); }

std::string to_rfc3339_exactly(Instant instant) {
  // Hand-written: std::format of a time takes 2 µs, and every answer and log line has several.
  const auto day = floor<days>(instant);
  const year_month_day date{day};
  auto rest = (instant - day).count();
  std::string text = "0000-00-00T00:00:00.000000Z";
  const auto put = [&](std::size_t end, std::size_t digits, std::int64_t value) {
    for (std::size_t i = 0; i < digits; ++i, value /= 10)
      text[end - i] = static_cast<char>('0' + value % 10);
  };
  put(3, 4, static_cast<int>(date.year()));
  put(6, 2, static_cast<unsigned>(date.month()));
  put(9, 2, static_cast<unsigned>(date.day()));
  put(25, 6, rest % 1'000'000);
  put(18, 2, (rest /= 1'000'000) % 60);
  put(15, 2, (rest /= 60) % 60);
  put(12, 2, rest / 60);
  return text;
}

std::optional<Instant> parse_rfc3339(std::string_view text) {
  TimeReader reader{text};
  Instant instant = reader.date();
  reader.one_of("Tt ");
  instant += reader.time_of_day();
  const char zone = reader.one_of("Zz+-");
  if (zone == '+' || zone == '-') {
    const int h = reader.digits(2);
    reader.one_of(":");
    const int m = reader.digits(2);
    if (h > 23 || m > 59) return std::nullopt;
    const minutes offset = hours{h} + minutes{m};
    instant += zone == '+' ? -offset : offset;
  }
  if (!reader.done()) return std::nullopt;
  const year_month_day day{floor<days>(instant)};
  if (day.year() < year{1} || day.year() > year{9999}) return std::nullopt;
  return instant;
}

std::optional<Date> parse_date(std::string_view text) {
  TimeReader reader{text};
  const Date date{reader.date()};
  if (!reader.done()) return std::nullopt;
  return date;
}

std::optional<Instant> parse_postgres_time(std::string_view text) {
  TimeReader reader{text};
  Instant instant = reader.date();
  reader.one_of(" ");
  instant += reader.time_of_day();
  reader.one_of("+");
  if (reader.digits(2) != 0 || !reader.done()) return std::nullopt;
  return instant;
}

const Clock& system_clock() {
  class SystemClock final : public Clock {
    Instant now() const override { return floor<microseconds>(std::chrono::system_clock::now()); }
  };
  static const SystemClock clock;
  return clock;
}

}  // namespace shopbell
