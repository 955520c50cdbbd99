#include <algorithm>
#include <array>
#include <cctype>
#include <format>
#include <set>
#include <sstream>

#include "match.h"
#include "rules.h"

namespace shopbell::house {

namespace {

struct Link {
  std::string target;
  std::size_t line;
};

// What stands between two fences.
struct Block {
  std::string language;
  std::size_t line;
  std::string part;  // the anchor of the heading right above; empty where there is none
};

struct Page {
  std::vector<Link> links;
  std::vector<Block> blocks;
  std::set<std::string> anchors;
};

// A row of the list: who runs the blocks of a page, or of one part of it.
struct Claim {
  std::string page;
  std::string part;  // empty: all of it
  std::string runner;
  std::size_t line;
  bool met = false;  // there is such a block
};

// What a link calls a heading: the words that are shown, in small letters, without punctuation.
std::string anchor_of(std::string_view heading) {
  std::string anchor;
  for (std::size_t i = 0; i < heading.size(); ++i) {
    const auto byte = static_cast<unsigned char>(heading[i]);
    if (heading.substr(i).starts_with("](")) {
      i = std::min(heading.find(')', i), heading.size());  // where a link leads is not shown
    } else if (byte == ' ') {
      anchor.push_back('-');
    } else if (byte >= 0x80 || std::isalnum(byte) != 0 || byte == '-' || byte == '_') {
      anchor.push_back(static_cast<char>(std::tolower(byte)));
    }
  }
  return anchor;
}

// The anchor under which the page has it now: a second heading of the same words gets a number.
std::string add_heading(Page& page, std::string_view heading) {
  const std::string plain = anchor_of(heading);
  std::string anchor = plain;
  for (int n = 1; !page.anchors.insert(anchor).second; ++n) anchor = std::format("{}-{}", plain, n);
  return anchor;
}

Page read_page(std::string_view text) {
  // [text](target "title") and [name]: target. The first choice passes over code.
  const std::string link = R"(`[^`]*`|\]\(\s*<?([^)>\s]+)|^\s*\[[^\]]+\]:\s*<?([^>\s]+))";
  Page page;
  std::string part;
  bool fenced = false;
  std::size_t number = 0;
  for (const auto line : lines_of(text)) {
    ++number;
    const std::string_view bare = trimmed(line);
    if (bare.starts_with("```")) {
      fenced = !fenced;
      if (fenced) page.blocks.push_back({std::string{trimmed(bare.substr(3))}, number, part});
      continue;
    }
    if (fenced) continue;
    if (has_match(line, "^#+ ")) part = add_heading(page, trimmed(line.substr(line.find(' '))));
    for (const auto& [at, parts] : matches(line, link)) {
      const std::string target = parts[1] + parts[2];
      if (!target.empty()) page.links.push_back({target, number});
    }
  }
  return page;
}

std::map<std::string, Page> pages_of(const Tree& tree) {
  std::map<std::string, Page> pages;
  for (const auto& [path, text] : tree) {
    if (path.ends_with(".md")) pages.emplace(path, read_page(text));
  }
  return pages;
}

bool holds(const Tree& tree, const std::string& path) {
  if (path.empty() || path == "." || tree.contains(path)) return true;
  const auto first_inside = tree.lower_bound(path + "/");
  return first_inside != tree.end() && first_inside->first.starts_with(path + "/");
}

// The path in the tree that a link in `file` means.
std::string resolved(const std::string& file, std::string target) {
  target = target.substr(0, target.find_first_of("#?"));
  if (target.empty()) return file;
  const bool from_top = target.starts_with('/');
  const auto folder = std::filesystem::path{from_top ? "" : file}.parent_path();
  auto path = (folder / target.substr(from_top ? 1 : 0)).lexically_normal().generic_string();
  if (path.ends_with('/')) path.pop_back();
  return path;
}

std::string behind_hash(const std::string& target) {
  const std::size_t hash = target.find('#');
  return hash == std::string::npos ? std::string{} : target.substr(hash + 1);
}

std::vector<Claim> claims_of(std::string_view list) {
  std::vector<Claim> claims;
  std::size_t number = 0;
  for (const auto line : lines_of(list)) {
    ++number;
    std::istringstream words{std::string{line}};
    std::string place;
    std::string runner;
    words >> place >> runner;
    if (place.empty() || place.starts_with('#')) continue;
    claims.push_back({.page = place.substr(0, place.find('#')),
                      .part = behind_hash(place),
                      .runner = runner,
                      .line = number});
  }
  return claims;
}

bool is_shell_by_another_name(const std::string& language) {
  return std::ranges::any_of(std::array{"bash", "console", "shell", "zsh"},
                             [&](const char* name) { return language == name; });
}

bool is_claimed(const std::string& path, const Block& block, std::vector<Claim>& claims) {
  bool claimed = false;
  for (auto& claim : claims) {
    if (claim.page != path || (!claim.part.empty() && claim.part != block.part)) continue;
    claim.met = true;
    claimed = true;
  }
  return claimed;
}

// A runner reads the list, or names what it runs.
bool runs(const Tree& tree, const std::string& list, const Claim& claim) {
  const auto runner = tree.find(claim.runner);
  if (runner == tree.end()) return false;
  const std::string& text = runner->second;
  return text.contains(list) || (text.contains(claim.page) && text.contains(claim.part));
}

}  // namespace

Findings links_lead_somewhere(const Tree& tree) {
  const std::string elsewhere = R"(^([A-Za-z][\w+.-]*:|//))";
  const auto pages = pages_of(tree);
  Findings findings;
  for (const auto& [path, page] : pages) {
    for (const auto& link : page.links) {
      if (has_match(link.target, elsewhere)) continue;
      const std::string there = resolved(path, link.target);
      if (!holds(tree, there)) {
        findings.push_back(
            {path, link.line,
             std::format("the link to {} leads nowhere; correct it or remove it", link.target)});
        continue;
      }
      const std::string part = behind_hash(link.target);
      const auto found = pages.find(there);
      if (part.empty() || found == pages.end() || found->second.anchors.contains(part)) continue;
      findings.push_back(
          {path, link.line, std::format("{} has no heading for #{}; correct it", there, part)});
    }
  }
  return findings;
}

Findings commands_are_run(const Tree& tree) {
  const std::string list = "tests/pages.txt";
  if (!tree.contains(list)) return {{list, 1, "the list is not here; tell this rule where it is"}};
  std::vector<Claim> claims = claims_of(tree.at(list));
  Findings findings;
  for (const auto& [path, page] : pages_of(tree)) {
    for (const auto& block : page.blocks) {
      if (is_shell_by_another_name(block.language)) {
        findings.push_back({path, block.line,
                            std::format("{}: call it sh, and let a test run it; or text, where it "
                                        "is only shown",
                                        block.language)});
      }
      if (block.language != "sh" || is_claimed(path, block, claims)) continue;
      findings.push_back(
          {path, block.line,
           std::format("no test runs these commands: say in {} which does, or call them text",
                       list)});
    }
  }
  for (const auto& claim : claims) {
    if (!claim.met) findings.push_back({list, claim.line, "there is no sh block; remove the row"});
    if (!runs(tree, list, claim))
      findings.push_back(
          {list, claim.line, std::format("{} does not name what it is said to run", claim.runner)});
  }
  return findings;
}

}  // namespace shopbell::house
