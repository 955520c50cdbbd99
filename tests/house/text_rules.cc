#include <algorithm>
#include <array>
#include <format>

#include "match.h"
#include "rules.h"
#include "scan.h"

namespace shopbell::house {

namespace {

constexpr std::size_t kMostLinesOfFile = 400;
constexpr std::size_t kMostLinesOfFunction = 70;

bool is_in_folder_of_code(std::string_view path) {
  return std::ranges::any_of(std::array{"src/", "tests/", "bench/", "tools/", "cmake/", "console/",
                                        "migrations/", "deploy/", ".ci/"},
                             [&](const char* folder) { return path.starts_with(folder); });
}

// Returns true for source code: by its extension, or a script without one.
bool is_code(std::string_view path, std::string_view text) {
  const std::string_view name = file_name(path);
  if (!name.contains('.')) return text.starts_with("#!");
  return std::ranges::any_of(std::array{".cc", ".h", ".ts", ".tsx", ".sh", ".cmake"},
                             [&](const char* ending) { return name.ends_with(ending); });
}

// Joins the pieces of a search word. A bar splits each word, so that this file does not contain it.
std::string joined(std::string_view pieces) {
  std::string whole{pieces};
  std::erase(whole, '|');
  return whole;
}

}  // namespace

Findings file_lengths(const Tree& tree) {
  Findings findings;
  for (const auto& [path, text] : tree) {
    if (!is_in_folder_of_code(path) || !is_code(path, text) || is_generated(text)) continue;
    const std::size_t length = lines_of(text).size();
    if (length <= kMostLinesOfFile) continue;
    findings.push_back(
        {path, kMostLinesOfFile + 1,
         std::format("{} lines, at most {}: split the file by purpose", length, kMostLinesOfFile)});
  }
  return findings;
}

Findings function_lengths(const Tree& tree) {
  Findings findings;
  for (const auto& [path, text] : tree) {
    if (!is_cpp(path) || is_generated(text)) continue;
    for (const auto& function : functions_of(text)) {
      if (function.length <= kMostLinesOfFunction) continue;
      findings.push_back(
          {path, function.line,
           std::format("{} has {} lines, at most {}: extract its steps into functions",
                       function.name, function.length, kMostLinesOfFunction)});
    }
  }
  return findings;
}

Findings header_openings(const Tree& tree) {
  Findings findings;
  for (const auto& [path, text] : tree) {
    if (!path.ends_with(".h")) continue;
    if (!text.starts_with("//")) {
      findings.push_back({path, 1, "start with a // comment on the purpose and the guarantees"});
    }
    const std::string code = code_only(text);
    const std::size_t first = std::min(code.find_first_not_of(" \t\r\n"), code.size());
    if (std::string_view{code}.substr(first).starts_with("#pragma once\n")) continue;
    findings.push_back(
        {path, line_at(code, first), "put #pragma once before anything but comments"});
  }
  return findings;
}

Findings using_namespaces(const Tree& tree) {
  const std::string harmless = R"(^(::)?std::(chrono|literals|(\w+::)?\w+_literals)$)";
  Findings findings;
  for (const auto& [path, text] : tree) {
    if (!is_cpp(path)) continue;
    const std::string code = code_only(text);
    for (const auto& [at, parts] : matches(code, R"(\busing\s+namespace\s+([\w:]+))")) {
      if (path.ends_with(".cc") && has_match(parts[1], harmless)) continue;
      findings.push_back(
          {path, line_at(code, at),
           std::format("using namespace {}: write the namespace, or an alias for it; only "
                       "std::chrono and literals may be opened, in a .cc file",
                       parts[1])});
    }
  }
  return findings;
}

Findings unfinished_work(const Tree& tree) {
  Findings findings;
  for (const auto& [path, text] : tree) {
    if (!is_in_folder_of_code(path) || file_name(path) == "package-lock.json") continue;
    for (const auto* pieces : {"TO|DO", "FIX|ME", "X|XX"}) {
      const std::string word = joined(pieces);
      for (std::size_t at = 0; (at = find_word(text, word, at)) != std::string::npos; ++at) {
        findings.push_back(
            {path, line_at(text, at),
             std::format("{}: finish it now, or remove it and plan the work elsewhere", word)});
      }
    }
  }
  return findings;
}

// Under row-level security PostgreSQL uses an index only for leakproof conditions. In a generic
// plan coalesce() is not leakproof; CASE is.
Findings coalesced_parameters(const Tree& tree) {
  Findings findings;
  for (const auto& [path, text] : tree) {
    if (!path.contains("/queries/") || !path.ends_with(".sql")) continue;
    for (std::size_t at = 0; (at = text.find("coalesce($", at)) != std::string::npos; ++at)
      findings.push_back(
          {path, line_at(text, at), "coalesce() of a parameter prevents an index scan: use CASE"});
  }
  return findings;
}

Findings names_under_src(const Tree& tree) {
  const std::string snake_case =
      R"(^([a-z0-9]+(_[a-z0-9]+)*/)*[a-z0-9]+(_[a-z0-9]+)*(\.[a-z0-9]+)*$)";
  const std::string vague = R"([_/](manager|helper|util|utility|utilitie|impl)s?([_./]|$))";
  Findings findings;
  for (const auto& [path, text] : tree) {
    if (!path.starts_with("src/")) continue;
    const bool conventional = file_name(path) == "USES" || file_name(path) == "README.md";
    if (!conventional && !has_match(path, snake_case)) {
      findings.push_back({path, 1, "names under src are snake_case: rename it"});
    }
    for (const auto& [at, parts] : matches(path, vague)) {
      findings.push_back(
          {path, 1,
           std::format("\"{}\" is too vague a name: use the term that a store developer would",
                       parts[1])});
    }
  }
  return findings;
}

}  // namespace shopbell::house
