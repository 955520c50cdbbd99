#include <algorithm>
#include <array>
#include <format>

#include "rules.h"
#include "scan.h"

namespace shopbell::house {

namespace {

constexpr std::string_view kEngine = "src/engine/";

// Headers of the standard library for time, randomness, files and threads, and the service's own
// random numbers.
constexpr std::array<std::string_view, 11> kImpureHeaders{
    "base/random.h", "random", "fstream", "filesystem", "iostream", "thread",
    "mutex",         "atomic", "future",  "ctime",      "time.h"};

// Names that read a clock or create randomness.
constexpr std::array<std::string_view, 12> kImpureNames{
    "system_clock", "steady_clock", "high_resolution_clock",
    "utc_clock",    "Clock",        "random_device",
    "mt19937",      "mt19937_64",   "rand",
    "getenv",       "v7",           "random_account_id"};

std::string fault_of(const Include& include) {
  const std::string_view target = include.target;
  if (std::ranges::contains(kImpureHeaders, target))
    return std::format("the engine is pure and does not include \"{}\"", target);
  const bool allowed = target.starts_with("engine/") || target.starts_with("base/") ||
                       target.starts_with("json/") ||
                       target.find_first_of("./") == std::string_view::npos;
  if (allowed) return {};
  return std::format("the engine includes only base and json, not \"{}\"; pass the data in",
                     target);
}

}  // namespace

Findings impure_engine(const Tree& tree) {
  Findings findings;
  for (const auto& [path, text] : tree) {
    if (!path.starts_with(kEngine) || is_test(path)) continue;
    if (path.ends_with(".sql"))
      findings.push_back({path, 1, "the engine has no SQL; load the data before the step"});
    if (!is_cpp(path)) continue;
    for (const auto& include : includes_of(text))
      if (std::string fault = fault_of(include); !fault.empty())
        findings.push_back({path, include.line, std::move(fault)});
    const std::string code = code_only(text);
    for (const auto name : kImpureNames)
      for (auto at = find_word(code, name); at != std::string::npos;
           at = find_word(code, name, at + 1))
        findings.push_back({path, line_at(code, at),
                            std::format("the engine is pure and does not use {}; pass the time or "
                                        "the number in",
                                        name)});
  }
  return findings;
}

}  // namespace shopbell::house
