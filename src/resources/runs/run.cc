#include "resources/runs/run.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace shopbell::runs {

std::vector<Step> steps_of(std::string_view trail) {
  std::vector<Step> steps;
  if (trail.size() >= kTrailCharacters)
    trail.remove_prefix(std::min(trail.find('\n'), trail.size() - 1) + 1);
  while (!trail.empty()) {
    const auto end = std::min(trail.find('\n'), trail.size());
    std::string_view line = trail.substr(0, end);
    trail.remove_prefix(std::min(end + 1, trail.size()));
    std::array<std::string_view, 4> parts;
    for (auto& part : parts) {
      const auto tab = std::min(line.find('\t'), line.size());
      part = line.substr(0, tab);
      line.remove_prefix(std::min(tab + 1, line.size()));
    }
    std::int64_t at = 0;
    std::from_chars(parts[2].data(), parts[2].data() + parts[2].size(), at);
    Step step{.node = std::string{parts[0]},
              .edge = std::nullopt,
              .at = Instant{std::chrono::microseconds{at}},
              .cause = std::string{parts[3]}};
    if (!parts[1].empty()) step.edge = parts[1];
    steps.push_back(std::move(step));
  }
  return steps;
}

Instant time_of(const Uuid& run) {
  std::int64_t milliseconds = 0;
  for (std::size_t i = 0; i < 6; ++i) milliseconds = milliseconds << 8 | run.bytes()[i];
  return Instant{std::chrono::milliseconds{milliseconds}};
}

Uuid lowest_id(const Uuid& run) {
  return *Uuid::parse(run.to_string().substr(0, 13) + "-0000-0000-000000000000");
}

}  // namespace shopbell::runs
