#include <algorithm>
#include <array>
#include <cctype>
#include <format>
#include <sstream>

#include "match.h"
#include "rules.h"
#include "scan.h"

namespace shopbell::house {

namespace {

constexpr auto kNone = std::string_view::npos;

struct Unwanted {
  // A bar splits the forbidden text, so that this file does not contain it.
  std::string_view pieces;
  std::string_view instead;
  bool path = false;  // if true, the text is forbidden only at the start of a path
};

constexpr std::string_view kNoPath =
    "a path of a particular machine; take it from the environment or make it relative";
constexpr std::string_view kNoHost = "a package host; leave it to the tool's own configuration";
constexpr std::string_view kNoShared = "a folder outside the repository; put the information here";

constexpr std::array kUnwanted{
    Unwanted{"/ro|ot/", kNoPath, true},
    Unwanted{"/ho|me/", kNoPath, true},
    Unwanted{"/wo|rk/", kNoPath, true},
    Unwanted{"../sh|ared", kNoShared},
    Unwanted{"deb.deb|ian.org", kNoHost},
    Unwanted{"security.deb|ian.org", kNoHost},
    Unwanted{"snapshot.deb|ian.org", kNoHost},
    Unwanted{"archive.ubu|ntu.com", kNoHost},
    Unwanted{"registry.np|mjs.org", kNoHost},
    Unwanted{"registry.yar|npkg.com", kNoHost},
    Unwanted{"py|pi.org", kNoHost},
    Unwanted{"files.python|hosted.org", kNoHost},
    Unwanted{"repo.ma|ven", kNoHost},
    Unwanted{"repo1.ma|ven", kNoHost},
    Unwanted{"proxy.go|lang.org", kNoHost},
    Unwanted{"crat|es.io", kNoHost},
    Unwanted{"ruby|gems.org", kNoHost},
};

bool starts_a_path(std::string_view text, std::size_t at) {
  if (at == 0) return true;
  const char before = text[at - 1];
  return std::isalnum(static_cast<unsigned char>(before)) == 0 &&
         !std::string_view{"_-.*/})"}.contains(before);
}

// A placeholder such as <name> or $USER is not a user name.
bool has_user_name(std::string_view text, std::size_t end) {
  return end < text.size() && std::isalpha(static_cast<unsigned char>(text[end])) != 0;
}

void find_unwanted(const std::string& path, const std::string& text, const Unwanted& unwanted,
                   Findings& findings) {
  std::string whole{unwanted.pieces};
  std::erase(whole, '|');
  const bool home = unwanted.pieces.starts_with("/ho");
  for (std::size_t at = 0; (at = text.find(whole, at)) != kNone; ++at) {
    if (unwanted.path && !starts_a_path(text, at)) continue;
    if (home && !has_user_name(text, at + whole.size())) continue;
    findings.push_back({path, line_at(text, at), std::format("{}: {}", whole, unwanted.instead)});
  }
}

}  // namespace

Findings problem_codes_used(const Tree& tree) {
  const std::string table = "src/base/problem.h";
  if (!tree.contains(table))
    return {{table, 1, "the table is missing; set its new path in this rule"}};
  const std::string code = code_only(tree.at(table));
  std::map<std::string, std::string> users;
  for (const auto& [path, text] : tree) {
    // openapi.cc only lists the codes; their use must be in other files.
    const bool product = path.starts_with("src/") && is_cpp(path) && !is_test(path) &&
                         !path.starts_with("src/testing/") &&
                         !path.starts_with("src/base/problem.") &&
                         path != "src/http/reference/openapi.cc";
    if (product) users.emplace(path, code_only(text));
  }

  const auto rows = matches(code, R"(\bX\(\s*(\w+)\s*,)");
  if (rows.empty()) {
    return {{table, 1, "no X(code, …) row found; adapt this rule to the table"}};
  }
  Findings findings;
  for (const auto& [at, parts] : rows) {
    const std::string& name = parts[1];
    const auto uses = [&](const auto& user) {
      return find_word(user.second, "Code::" + name) != kNone;
    };
    if (std::ranges::any_of(users, uses)) continue;
    findings.push_back({table, line_at(code, at),
                        std::format("no code uses Code::{}; use it or remove the row", name)});
  }
  return findings;
}

Findings local_paths_and_hosts(const Tree& tree) {
  Findings findings;
  for (const auto& [path, text] : tree) {
    for (const auto& unwanted : kUnwanted) find_unwanted(path, text, unwanted, findings);
  }
  return findings;
}

Findings undocumented_libraries(const Tree& tree) {
  const std::string list = "tools/packages.txt";
  const std::string page = "ARCHITECTURE.md";
  if (!tree.contains(list))
    return {{list, 1, "the list is missing; set its new path in this rule"}};
  if (!tree.contains(page))
    return {{page, 1, "the page is missing; create it with a row for each third-party library"}};

  Findings findings;
  std::size_t number = 0;
  for (const auto line : lines_of(tree.at(list))) {
    ++number;
    std::istringstream words{std::string{line}};
    std::string purpose;
    std::string package;
    words >> purpose >> package;
    if (purpose.starts_with('#') || !package.ends_with("-dev")) continue;
    if (find_word(tree.at(page), package, 0, "-+") != kNone) continue;
    findings.push_back(
        {list, number,
         std::format("{} has no row in {}; add its purpose and the module that may include it",
                     package, page)});
  }
  return findings;
}

}  // namespace shopbell::house
