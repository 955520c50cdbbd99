#include "liquid/suggest.h"

#include <algorithm>
#include <format>
#include <vector>

namespace shopbell::liquid {

namespace {

constexpr std::size_t kLengthMax = 40;  // longer names get the list
constexpr std::size_t kCandidates = 200;
constexpr std::size_t kListed = 80;

// The number of letters to insert, delete or replace.
std::size_t distance_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string suggestion(std::string_view name, std::span<const std::string_view> known) {
  known = known.first(std::min(known.size(), kCandidates));
  if (name.size() <= kLengthMax && !known.empty()) {
    const auto nearest = std::ranges::min_element(
        known, {}, [&](std::string_view candidate) { return distance_between(name, candidate); });
    const std::size_t distance = distance_between(name, *nearest);
    if (distance <= 2 && distance < nearest->size() / 2 + 1)
      return std::format("Did you mean `{}`?", *nearest);
  }
  std::string list;
  for (const auto candidate : known.first(std::min(known.size(), kListed)))
    list += std::format("{}`{}`", list.empty() ? "" : ", ", candidate);
  return std::format("There are: {}.", list);
}

}  // namespace shopbell::liquid
