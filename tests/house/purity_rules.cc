#include <algorithm>
#include <array>
#include <format>

#include "rules.h"
#include "scan.h"

namespace shopbell::house {

namespace {

// Modules whose functions give the same result for the same input.
constexpr std::array<std::string_view, 2> kPureModules{"engine", "liquid"};

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

std::string fault_of(const Include& include, std::string_view module) {
  const std::string_view target = include.target;
  if (std::ranges::contains(kImpureHeaders, target))
    return std::format("{} is pure and does not include \"{}\"", module, target);
  const bool allowed = target.starts_with(std::format("{}/", module)) ||
                       target.starts_with("base/") || target.starts_with("json/") ||
                       target.find_first_of("./") == std::string_view::npos;
  if (allowed) return {};
  return std::format("{} includes only base and json, not \"{}\"; pass the data in", module,
                     target);
}

void check_file(const std::string& path, const std::string& text, std::string_view module,
                Findings& findings) {
  if (path.ends_with(".sql")) {
    findings.push_back(
        {path, 1, std::format("{} has no SQL; load the data before the call", module)});
  }
  if (!is_cpp(path)) return;
  for (const auto& include : includes_of(text))
    if (std::string fault = fault_of(include, module); !fault.empty())
      findings.push_back({path, include.line, std::move(fault)});
  const std::string code = code_only(text);
  for (const auto name : kImpureNames)
    for (auto at = find_word(code, name); at != std::string::npos;
         at = find_word(code, name, at + 1))
      findings.push_back({path, line_at(code, at),
                          std::format("{} is pure and does not use {}; pass the time or the "
                                      "number in",
                                      module, name)});
}

}  // namespace

Findings impure_modules(const Tree& tree) {
  Findings findings;
  for (const auto& [path, text] : tree) {
    const std::string module = folder_in(path, "src/");
    if (std::ranges::contains(kPureModules, module) && !is_test(path))
      check_file(path, text, module, findings);
  }
  return findings;
}

}  // namespace shopbell::house
