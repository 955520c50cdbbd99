#include <algorithm>
#include <array>
#include <cctype>
#include <format>
#include <map>
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

// A fenced code block of a Markdown page.
struct Block {
  std::string language;
  std::size_t line;
  std::string part;  // anchor of the heading above the block; empty if there is none
};

struct Page {
  std::vector<Link> links;
  std::vector<Block> blocks;
  std::set<std::string> anchors;
};

// A row of tests/pages.txt: the test that runs the sh blocks of a page, or of one part of it.
struct Claim {
  std::string page;
  std::string part;  // anchor of the part; empty for the whole page
  std::string runner;
  std::size_t line;
  bool met = false;  // true if the page has a block that this row covers
};

// Returns the anchor of a heading: its visible text in lower case, without punctuation.
std::string anchor_of(std::string_view heading) {
  std::string anchor;
  for (std::size_t i = 0; i < heading.size(); ++i) {
    const auto byte = static_cast<unsigned char>(heading[i]);
    if (heading.substr(i).starts_with("](")) {
      i = std::min(heading.find(')', i), heading.size());  // a link's target is not visible
    } else if (byte == ' ') {
      anchor.push_back('-');
    } else if (byte >= 0x80 || std::isalnum(byte) != 0 || byte == '-' || byte == '_') {
      anchor.push_back(static_cast<char>(std::tolower(byte)));
    }
  }
  return anchor;
}

// Adds a heading and returns its anchor. Repeated headings get a number.
std::string add_heading(Page& page, std::string_view heading) {
  const std::string plain = anchor_of(heading);
  std::string anchor = plain;
  for (int n = 1; !page.anchors.insert(anchor).second; ++n) anchor = std::format("{}-{}", plain, n);
  return anchor;
}

Page read_page(std::string_view text) {
  // Matches [text](target "title") and [name]: target. The first alternative skips inline code.
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

// Returns the path in the tree that a link in `file` refers to.
std::string resolved(const std::string& file, std::string target) {
  target = target.substr(0, target.find_first_of("#?"));
  if (target.empty()) return file;
  const bool from_top = target.starts_with('/');
  const auto folder = std::filesystem::path{from_top ? "" : file}.parent_path();
  auto path = (folder / target.substr(from_top ? 1 : 0)).lexically_normal().generic_string();
  if (path.ends_with('/')) path.pop_back();
  return path;
}

std::string fragment_of(const std::string& target) {
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
                      .part = fragment_of(place),
                      .runner = runner,
                      .line = number});
  }
  return claims;
}

bool is_other_shell_language(const std::string& language) {
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

// Returns true if the runner reads tests/pages.txt or contains the page's name.
bool runs(const Tree& tree, const std::string& list, const Claim& claim) {
  const auto runner = tree.find(claim.runner);
  if (runner == tree.end()) return false;
  const std::string& text = runner->second;
  return text.contains(list) || (text.contains(claim.page) && text.contains(claim.part));
}

struct TableRow {
  std::vector<std::string> cells;
  std::size_t line;
};

// A section of a page, and the rows of its table.
struct Section {
  std::size_t line = 0;  // line of the section's heading; 0 if the page has no such section
  std::vector<TableRow> rows;
};

std::vector<std::string> cells_of(std::string_view row) {
  std::vector<std::string> cells;
  std::size_t start = 1;  // skips the first bar of the table row
  for (std::size_t bar = 0; (bar = row.find('|', start)) != std::string_view::npos; start = bar + 1)
    cells.emplace_back(trimmed(row.substr(start, bar - start)));
  return cells;
}

Section section_of(std::string_view page, std::string_view heading) {
  Section section;
  std::size_t number = 0;
  bool below_header = false;
  for (const auto line : lines_of(page)) {
    ++number;
    if (section.line == 0) {
      if (trimmed(line) == heading) section.line = number;
      continue;
    }
    if (line.starts_with('#')) break;
    if (line.starts_with("|-")) {
      below_header = true;
    } else if (below_header && line.starts_with('|')) {
      section.rows.push_back({cells_of(line), number});
    }
  }
  return section;
}

// A table in a page that must list certain files.
struct FileList {
  std::string page;
  std::string heading;
  std::size_t link_cell;                    // index of the cell that links to a file or folder
  std::size_t value_cell;                   // index of the cell whose value is compared
  std::map<std::string, std::string> rows;  // expected rows: link → value
};

void compare_list(const Tree& tree, const FileList& list, Findings& findings) {
  const auto page = tree.find(list.page);
  if (page == tree.end()) {
    findings.push_back({list.page, 1, "the page is missing; set its new path in this rule"});
    return;
  }
  const Section section = section_of(page->second, list.heading);
  if (section.line == 0) {
    findings.push_back(
        {list.page, 1,
         std::format("the section \"{}\" is missing; set its new heading in this rule",
                     list.heading)});
    return;
  }
  const std::size_t last_cell = std::max(list.link_cell, list.value_cell);
  auto missing = list.rows;
  for (const auto& [cells, line] : section.rows) {
    const auto expected =
        cells.size() > last_cell ? missing.find(cells[list.link_cell]) : missing.end();
    if (expected == missing.end()) {
      findings.push_back({list.page, line,
                          "nothing in the tree matches this row, or an earlier row does; correct "
                          "or remove it"});
      continue;
    }
    if (cells[list.value_cell] != expected->second)
      findings.push_back({list.page, line,
                          std::format("{}: replace \"{}\" by \"{}\"", expected->first,
                                      cells[list.value_cell], expected->second)});
    missing.erase(expected);
  }
  for (const auto& [link, value] : missing)
    findings.push_back(
        {list.page, section.line,
         std::format("the table has no row for {} with \"{}\"; add it", link, value)});
}

// The expected table of slices: the folders of src/resources, each with the slices in its USES
// file.
FileList slice_list(const Tree& tree) {
  FileList list{"ARCHITECTURE.md", "## Slices", 0, 2, {}};
  for (const auto& [slice, uses] : slice_graph(tree)) {
    std::string names;
    for (const auto& [name, line] : uses) names += (names.empty() ? "" : ", ") + name;
    list.rows.emplace(std::format("[{}]({}{})", slice, kSlices, slice),
                      names.empty() ? "–" : names);
  }
  return list;
}

// The expected list of decision records, from their first lines, such as "# 12. Title".
FileList decision_list(const Tree& tree, Findings& findings) {
  FileList list{"docs/how-it-works.md", "## Decision records", 1, 0, {}};
  for (const auto& [path, text] : tree) {
    if (!path.starts_with("docs/decisions/") || !path.ends_with(".md")) continue;
    const auto title = matches(text.substr(0, text.find('\n')), R"(^# (\d+)\. (.+)$)");
    if (title.empty()) {
      findings.push_back({path, 1, "the first line of a decision record is \"# 12. Title\""});
      continue;
    }
    const auto& parts = title.front().parts;
    list.rows.emplace(std::format("[{}](decisions/{})", parts[2], file_name(path)), parts[1]);
  }
  return list;
}

}  // namespace

Findings broken_links(const Tree& tree) {
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
             std::format("the link to {} is broken; correct or remove it", link.target)});
        continue;
      }
      const std::string part = fragment_of(link.target);
      const auto found = pages.find(there);
      if (part.empty() || found == pages.end() || found->second.anchors.contains(part)) continue;
      findings.push_back({path, link.line,
                          std::format("{} has no heading for #{}; correct the link", there, part)});
    }
  }
  return findings;
}

Findings untested_commands(const Tree& tree) {
  const std::string list = "tests/pages.txt";
  if (!tree.contains(list))
    return {{list, 1, "the list is missing; set its new path in this rule"}};
  std::vector<Claim> claims = claims_of(tree.at(list));
  Findings findings;
  for (const auto& [path, page] : pages_of(tree)) {
    for (const auto& block : page.blocks) {
      if (is_other_shell_language(block.language)) {
        findings.push_back({path, block.line,
                            std::format("{}: use sh and add a test that runs it, or text if it is "
                                        "only shown",
                                        block.language)});
      }
      if (block.language != "sh" || is_claimed(path, block, claims)) continue;
      findings.push_back(
          {path, block.line,
           std::format("no test runs these commands: add one to {}, or use text", list)});
    }
  }
  for (const auto& claim : claims) {
    if (!claim.met)
      findings.push_back({list, claim.line, "there is no such sh block; remove the row"});
    if (!runs(tree, list, claim))
      findings.push_back(
          {list, claim.line,
           std::format("{} does not mention the page that it should run", claim.runner)});
  }
  return findings;
}

Findings outdated_lists(const Tree& tree) {
  Findings findings;
  compare_list(tree, slice_list(tree), findings);
  compare_list(tree, decision_list(tree, findings), findings);
  return findings;
}

}  // namespace shopbell::house
