#include "base/duration.h"

#include <array>
#include <charconv>

namespace shopbell {

namespace {

struct Unit {
  char letter;
  std::int64_t months;
  std::int64_t days;
  std::int64_t seconds;
};
constexpr std::array kDateUnits{Unit{'Y', 12, 0, 0}, Unit{'M', 1, 0, 0}, Unit{'W', 0, 7, 0},
                                Unit{'D', 0, 1, 0}};
constexpr std::array kTimeUnits{Unit{'H', 0, 0, 3600}, Unit{'M', 0, 0, 60}, Unit{'S', 0, 0, 1}};
constexpr std::int64_t kMost = 100LL * 366 * 86'400;

// Parses numbers with units in the order of `units`. Returns how many it parsed, nullopt on error.
template <std::size_t Count>
std::optional<int> read_units(std::string_view& text, const std::array<Unit, Count>& units,
                              Duration& duration) {
  int read = 0;
  std::size_t next = 0;
  while (!text.empty() && text.front() != 'T') {
    std::int64_t number = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || rest == text.data() + text.size() || text.front() == '-' ||
        number > kMost)
      return {};
    while (next < Count && units[next].letter != *rest) ++next;
    if (next == Count) return {};
    const Unit& unit = units[next++];
    duration.months += number * unit.months;
    duration.days += number * unit.days;
    duration.seconds += number * unit.seconds;
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()) + 1);
    ++read;
  }
  return read;
}

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
  Duration duration;
  if (text.starts_with('-')) {
    duration.negative = true;
    text.remove_prefix(1);
  }
  if (!text.starts_with('P')) return std::nullopt;
  text.remove_prefix(1);
  const auto date_units = read_units(text, kDateUnits, duration);
  if (!date_units) return std::nullopt;
  int read = *date_units;
  if (text.starts_with('T')) {
    text.remove_prefix(1);
    const auto time_units = read_units(text, kTimeUnits, duration);
    if (!time_units || *time_units == 0 || !text.empty()) return std::nullopt;
    read += *time_units;
  }
  if (read == 0 || duration.most_seconds() > kMost) return std::nullopt;
  return duration;
}

}  // namespace shopbell
