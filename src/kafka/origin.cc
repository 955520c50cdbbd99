#include "kafka/origin.h"

#include <charconv>
#include <format>

namespace shopbell::kafka {

std::string Origin::to_text() const { return std::format("{} {}", sender.to_string(), number); }

std::optional<Origin> Origin::parse(std::string_view text) {
  const std::size_t gap = text.find(' ');
  if (gap == std::string_view::npos) return std::nullopt;
  const auto sender = Uuid::parse(text.substr(0, gap));
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data() + gap + 1, end, number);
  if (!sender || error != std::errc{} || read != end || number < 1) return std::nullopt;
  return Origin{.sender = *sender, .number = number};
}

}  // namespace shopbell::kafka
