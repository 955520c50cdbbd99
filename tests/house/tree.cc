#include "tree.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <format>
#include <fstream>
#include <iterator>
#include <optional>

namespace shopbell::house {

namespace {

namespace fs = std::filesystem;

// Returns the files that git lists; nullopt if git is missing or fails.
std::optional<std::vector<std::string>> paths_of_git(const fs::path& root) {
  const std::string command =
      std::format("git -c safe.directory='*' -C '{}' ls-files -coz --exclude-standard 2>/dev/null",
                  root.string());
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::string output;
  std::array<char, 4096> buffer;
  for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    output.append(buffer.data(), got);
  }
  if (::pclose(pipe) != 0) return std::nullopt;

  std::vector<std::string> paths;
  for (std::size_t start = 0; start < output.size();) {
    const std::size_t end = output.find('\0', start);
    paths.push_back(output.substr(start, end - start));
    start = end + 1;
  }
  return paths;
}

std::vector<std::string> paths_of_walk(const fs::path& root) {
  std::vector<std::string> paths;
  for (auto entry = fs::recursive_directory_iterator{root};
       entry != fs::recursive_directory_iterator{}; ++entry) {
    const auto name = entry->path().filename();
    if (name == "build" || name == "node_modules" || name == ".git") {
      entry.disable_recursion_pending();
    } else if (entry->is_regular_file()) {
      paths.push_back(entry->path().lexically_relative(root).generic_string());
    }
  }
  return paths;
}

bool joins(char c, std::string_view joiners) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || joiners.contains(c);
}

}  // namespace

std::string to_string(const Finding& finding) {
  return std::format("{}:{}: {}", finding.file, finding.line, finding.message);
}

Tree read_tree(const fs::path& root) {
  std::optional<std::vector<std::string>> paths;
  if (fs::exists(root / ".git")) paths = paths_of_git(root);
  if (!paths) paths = paths_of_walk(root);

  Tree tree;
  for (const auto& path : *paths) {
    std::ifstream stream{root / path, std::ios::binary};
    // The file was deleted, but the deletion is not committed yet.
    if (!fs::is_regular_file(root / path) || !stream) continue;
    std::string text{std::istreambuf_iterator<char>{stream}, {}};
    if (!text.contains('\0')) tree.emplace(path, std::move(text));
  }
  return tree;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::size_t line_at(std::string_view text, std::size_t offset) {
  return 1 + static_cast<std::size_t>(std::ranges::count(text.substr(0, offset), '\n'));
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t start = text.find_first_not_of(kBlanks);
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(kBlanks) + 1 - start);
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::size_t find_word(std::string_view text, std::string_view word, std::size_t from,
                      std::string_view joiners) {
  for (std::size_t at = text.find(word, from); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool starts = at == 0 || !joins(text[at - 1], joiners);
    if (starts && (end == text.size() || !joins(text[end], joiners))) return at;
  }
  return std::string_view::npos;
}

bool is_cpp(std::string_view path) { return path.ends_with(".cc") || path.ends_with(".h"); }

bool is_test(std::string_view path) {
  return std::ranges::any_of(
      std::array{"_test.cc", "_pgtest.cc", "_s3test.cc", "_kafkatest.cc", "_fuzz.cc", "_bench.cc"},
      [&](const char* suffix) { return path.ends_with(suffix); });
}

bool is_generated(std::string_view text) {
  std::string head;
  for (const auto line : lines_of(text.substr(0, 1000))) {
    if (std::ranges::count(head, '\n') == 3) break;
    head.append(line).push_back('\n');
  }
  std::ranges::transform(head, head.begin(), [](unsigned char c) { return std::tolower(c); });
  return head.contains("generated");
}

std::string folder_in(std::string_view path, std::string_view top) {
  if (!path.starts_with(top)) return {};
  path.remove_prefix(top.size());
  const std::size_t slash = path.find('/');
  return std::string{slash == std::string_view::npos ? "" : path.substr(0, slash)};
}

SliceGraph slice_graph(const Tree& tree) {
  SliceGraph graph;
  for (const auto& [path, text] : tree) {
    const std::string slice = folder_in(path, kSlices);
    if (slice.empty()) continue;
    auto& uses = graph[slice];
    if (path != std::format("{}{}/USES", kSlices, slice)) continue;
    std::size_t number = 0;
    for (const auto line : lines_of(text)) {
      ++number;
      const std::string name{trimmed(line.substr(0, line.find('#')))};
      if (!name.empty()) uses.emplace(name, number);
    }
  }
  return graph;
}

}  // namespace shopbell::house
