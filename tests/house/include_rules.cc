#include <algorithm>
#include <format>
#include <optional>
#include <set>

#include "rules.h"
#include "scan.h"

namespace shopbell::house {

namespace {

// The modules by level, lowest first: a module may include only modules of earlier rows.
const std::vector<std::vector<std::string_view>>& levels() {
  static const std::vector<std::vector<std::string_view>> rows{
      {"base"},
      {"runtime", "observe", "keyring", "json", "compress", "csv", "net"},
      {"pg", "kafka", "storage", "engine", "liquid", "yaml"},
      {"rates", "events", "event_log", "jobs", "outgoing"},
      {"operations"},
      {"http", "resources", "stream"},
      {"automation", "mail"},
      {"app"},
      {"testing", "simulator"},
  };
  return rows;
}

const std::size_t kTop = levels().size() - 1;

std::optional<std::size_t> level_of(std::string_view module) {
  for (std::size_t level = 0; level < levels().size(); ++level) {
    if (std::ranges::contains(levels()[level], module)) return level;
  }
  return std::nullopt;
}

constexpr std::string_view kSrc = "src/";

// Returns the module that an include refers to; empty if it refers to a library.
std::string module_of(const Tree& tree, const Include& include) {
  const std::string path = std::string{kSrc} + include.target;
  std::string module = folder_in(path, kSrc);
  const bool ours = level_of(module) && (include.quoted || tree.contains(path));
  return ours ? module : "";
}

// Returns the module or slice that owns a generated header. `app` owns migrations.h and recipes.h.
// A slice owns its queries.h and statements.h, such as "resources/store/queries.h", generated from
// the .sql files in its folder.
std::optional<std::string> owner_of_generated(std::string_view target) {
  if (target == "migrations.h" || target == "recipes.h") return "app";
  if (!target.ends_with("/queries.h") && !target.ends_with("/statements.h")) return std::nullopt;
  target.remove_suffix(file_name(target).size() + 1);
  constexpr std::string_view kSlice = "resources/";
  if (target.starts_with(kSlice)) return std::string{target};
  return std::string{target.substr(0, target.find('/'))};
}

// Returns the fault if a file of module `from`, at `level`, may not include `include`; else empty.
std::string fault_between_modules(const Tree& tree, const std::string& path,
                                  const std::string& from, std::size_t level,
                                  const Include& include) {
  if (const auto owner = owner_of_generated(include.target)) {
    const bool own = path.starts_with(std::format("{}{}/", kSrc, *owner));
    if (own || level == kTop) return {};
    return std::format("\"{}\" is generated for {} alone; call a function of {} instead",
                       include.target, *owner, *owner);
  }
  const std::string to = module_of(tree, include);
  if (to.empty() || to == from) return {};
  if (to == "testing") {
    if (is_test(path)) return {};
    return std::format("\"{}\" is for tests; move what the service needs out of src/testing",
                       include.target);
  }
  const std::size_t target_level = *level_of(to);
  if (target_level < level) return {};
  return std::format(
      "\"{}\" is of {} (level {}) and this is level {}: includes go down a level; move what both "
      "need below, or have it passed in from above",
      include.target, to, target_level, level);
}

// Searches depth first: a slice that occurs again on its own path closes a cycle.
void find_cycles(const SliceGraph& graph, const std::string& slice, std::vector<std::string>& way,
                 std::set<std::string>& done, Findings& findings) {
  way.push_back(slice);
  for (const auto& [next, line] : graph.at(slice)) {
    if (!graph.contains(next) || done.contains(next)) continue;
    const auto met = std::ranges::find(way, next);
    if (met == way.end()) {
      find_cycles(graph, next, way, done, findings);
      continue;
    }
    std::string cycle;
    for (auto step = met; step != way.end(); ++step) cycle += *step + " → ";
    findings.push_back(
        {std::format("{}{}/USES", kSlices, slice), line,
         std::format("the slices use each other in a cycle: {}{}; move what they share into "
                     "a slice that both use",
                     cycle, next)});
  }
  way.pop_back();
  done.insert(slice);
}

std::string fault_between_slices(const SliceGraph& graph, const std::string& path,
                                 const std::string& from, const Include& include) {
  if (!include.target.starts_with("resources/")) return {};
  const std::string to = folder_in(std::string{kSrc} + include.target, kSlices);
  if (to == from || graph.at(from).contains(to)) return {};
  if (to.empty()) {
    if (is_test(path)) return {};
    return std::format(
        "\"{}\" knows every slice, so a slice that includes it closes a cycle; move what is "
        "needed into a slice",
        include.target);
  }
  return std::format(
      "slice {} does not say that it uses {}; add the line \"{}\" to {}{}/USES, or do without",
      from, to, to, kSlices, from);
}

// A module whose folders are ordered: each folder with the folders that it may include. Files
// outside these folders may include all of them.
struct Division {
  std::string_view top;     // the module's folder in the source tree
  std::string_view prefix;  // the path with which its includes start
  std::map<std::string, std::set<std::string>> uses;
};

const std::vector<Division>& divisions() {
  static const std::vector<Division> rows{
      {"src/http/", "http/", {{"wire", {}}, {"server", {"wire"}}, {"reference", {"wire"}}}},
      {"src/app/",
       "app/",
       {{"config", {}},
        {"session", {"config"}},
        {"service", {"config"}},
        {"doctor", {"config"}},
        {"install", {"config", "session"}},
        {"recipes", {}},
        {"workflow_files", {"config", "session", "recipes"}},
        {"commands",
         {"config", "session", "service", "doctor", "install", "recipes", "workflow_files"}}}},
      {"tests/proofs/",
       "tests/proofs/",
       {{"actors", {}}, {"edge", {"actors"}}, {"proofs", {"actors"}}}},
  };
  return rows;
}

std::string fault_between_folders(const Division& division, const std::string& from,
                                  const Include& include) {
  const std::string to = folder_in(include.target, division.prefix);
  if (to.empty() || to == from || division.uses.at(from).contains(to)) return {};
  return std::format(
      "\"{}\": {}{} may not include {}{}; move what both need into a folder that both use, or "
      "change the table of divisions in tests/house/include_rules.cc",
      include.target, division.top, from, division.top, to);
}

struct Fence {
  std::string_view library;
  std::vector<std::string_view> headers;  // prefixes of the library's header names
  // Paths below src/ that may include these headers; * matches anything.
  std::vector<std::string_view> places;
  std::size_t most_files = 1000;  // the number of files in one module that may include them
};

// The first matching row decides, so rows for parts of Boost come before the row for Boost.
const std::vector<Fence>& fences() {
  static const std::vector<Fence> rows{
      {"yyjson", {"yyjson"}, {"json/*"}},
      {"zlib", {"zlib", "zconf"}, {"compress/*"}},
      {"zstd", {"zstd", "zdict"}, {"compress/*"}},
      {"libpq", {"libpq", "postgresql/"}, {"pg/*"}},
      {"Boost.Beast", {"boost/beast"}, {"http/*.cc", "testing/*.cc"}, 2},
      {"Boost.Asio",
       {"boost/asio"},
       {"runtime/*", "pg/*", "kafka/*", "net/*", "storage/*", "rates/*", "events/*", "event_log/*",
        "jobs/*", "automation/*", "mail/*", "operations/*", "http/*", "resources/*", "stream/*",
        "app/*", "testing/*", "simulator/*", "pch.h"}},
      {"Boost", {"boost/"}, {"base/*", "resources/keys/*"}},
      {"spdlog", {"spdlog/", "fmt/"}, {"observe/*"}},
      {"prometheus-cpp", {"prometheus/"}, {"observe/*"}},
      {"toml++", {"toml++/", "toml.hpp"}, {"app/*"}},
      {"CLI11", {"CLI/", "CLI11.hpp"}, {"app/*"}},
      {"OpenSSL", {"openssl/"}, {"base/*", "keyring/*", "http/server/tls.cc", "net/smtp/line.cc"}},
      {"ICU", {"unicode/"}, {"base/*"}},
      {"yaml-cpp", {"yaml-cpp/"}, {"yaml/*"}},
      {"libphonenumber", {"phonenumbers/"}, {"base/identity.cc"}},
      {"libcurl", {"curl/"}, {"net/*"}},
      {"librdkafka", {"librdkafka/", "rdkafka"}, {"kafka/*"}},
      {"a test framework",
       {"gtest/", "gmock/", "rapidcheck", "benchmark/"},
       {"*_test.cc", "*_pgtest.cc", "*_s3test.cc", "*_kafkatest.cc", "*_bench.cc", "testing/*"}},
  };
  return rows;
}

bool is_of_the_system(const Include& include) {
  static const std::set<std::string_view> files{
      "dirent.h", "dlfcn.h", "errno.h",  "fcntl.h", "grp.h",    "netdb.h",   "poll.h", "pthread.h",
      "pwd.h",    "sched.h", "signal.h", "spawn.h", "stdlib.h", "termios.h", "time.h", "unistd.h"};
  const std::string_view target = include.target;
  if (include.quoted) return false;
  // A header of the standard library has no dot and no slash.
  if (target.find_first_of("./") == std::string_view::npos) return true;
  return files.contains(target) || target.starts_with("sys/") || target.starts_with("netinet/") ||
         target.starts_with("arpa/") || target.starts_with("linux/");
}

bool lies_in(std::string_view path, std::string_view place) {
  const std::size_t star = place.find('*');
  if (star == std::string_view::npos) return path == place;
  return path.starts_with(place.substr(0, star)) && path.ends_with(place.substr(star + 1));
}

std::string all_of(const std::vector<std::string_view>& places) {
  std::string text;
  for (const auto place : places) text += std::format("{}src/{}", text.empty() ? "" : ", ", place);
  return text;
}

// The files of each module that include a fenced library's headers.
using Residents = std::map<std::pair<std::string_view, std::string>, std::set<std::string>>;

std::string fault_at_fence(const std::string& path, const Include& include, Residents& residents) {
  const std::string_view below_src = std::string_view{path}.substr(kSrc.size());
  const auto fence = std::ranges::find_if(fences(), [&](const Fence& row) {
    return std::ranges::any_of(row.headers,
                               [&](auto start) { return include.target.starts_with(start); });
  });
  if (fence == fences().end()) {
    return std::format(
        "\"{}\" is neither a path below src/ nor a header of a library with a fence; write "
        "the path from src/ on, or give the library a row in tests/house/include_rules.cc",
        include.target);
  }
  if (!std::ranges::any_of(fence->places, [&](auto place) { return lies_in(below_src, place); })) {
    return std::format("<{}>: {} is included only in {}; use what the module there offers",
                       include.target, fence->library, all_of(fence->places));
  }
  const std::string module = folder_in(path, kSrc);
  auto& files = residents[{fence->library, module}];
  files.insert(path);
  if (module == "testing" || files.size() <= fence->most_files) return {};
  return std::format(
      "<{}>: at most {} files of src/{} include {}; put this into one of those that do",
      include.target, fence->most_files, module, fence->library);
}

}  // namespace

Findings include_levels(const Tree& tree) {
  Findings findings;
  for (const auto& [path, text] : tree) {
    if (!path.starts_with(kSrc) || !is_cpp(path)) continue;
    const std::string module = folder_in(path, kSrc);
    // src/main.cc may include every module, so it has the highest level.
    const auto level = module.empty() ? kTop : level_of(module);
    if (!level) {
      findings.push_back(
          {path, 1,
           std::format("src/{} has no level; give it one in tests/house/include_rules.cc, or "
                       "put the file into a module that has",
                       module)});
      continue;
    }
    for (const auto& include : includes_of(text)) {
      std::string fault = fault_between_modules(tree, path, module, *level, include);
      if (!fault.empty()) findings.push_back({path, include.line, std::move(fault)});
    }
  }
  return findings;
}

Findings folder_uses(const Tree& tree) {
  Findings findings;
  for (const auto& division : divisions()) {
    for (const auto& [path, text] : tree) {
      const std::string from = folder_in(path, division.top);
      if (from.empty() || !is_cpp(path)) continue;
      if (!division.uses.contains(from)) {
        findings.push_back({path, 1,
                            std::format("{}{} is not in the table of divisions in "
                                        "tests/house/include_rules.cc; add it, or move the file",
                                        division.top, from)});
        continue;
      }
      for (const auto& include : includes_of(text)) {
        std::string fault = fault_between_folders(division, from, include);
        if (!fault.empty()) findings.push_back({path, include.line, std::move(fault)});
      }
    }
  }
  return findings;
}

Findings slice_uses(const Tree& tree) {
  const SliceGraph graph = slice_graph(tree);
  Findings findings;
  for (const auto& [path, text] : tree) {
    const std::string slice = folder_in(path, kSlices);
    if (slice.empty() || !is_cpp(path)) continue;
    for (const auto& include : includes_of(text)) {
      std::string fault = fault_between_slices(graph, path, slice, include);
      if (!fault.empty()) findings.push_back({path, include.line, std::move(fault)});
    }
  }
  std::set<std::string> done;
  for (const auto& [slice, uses] : graph) {
    for (const auto& [used, line] : uses) {
      if (graph.contains(used)) continue;
      findings.push_back(
          {std::format("{}{}/USES", kSlices, slice), line,
           std::format("there is no slice {}; name a folder of src/resources", used)});
    }
    std::vector<std::string> way;
    if (!done.contains(slice)) find_cycles(graph, slice, way, done, findings);
  }
  return findings;
}

Findings library_fences(const Tree& tree) {
  Findings findings;
  Residents residents;
  for (const auto& [path, text] : tree) {
    if (!path.starts_with(kSrc) || !is_cpp(path)) continue;
    for (const auto& include : includes_of(text)) {
      const bool ours = !module_of(tree, include).empty() || owner_of_generated(include.target) ||
                        (include.quoted && tree.contains(std::string{kSrc} + include.target));
      if (ours || is_of_the_system(include)) continue;
      std::string fault = fault_at_fence(path, include, residents);
      if (!fault.empty()) findings.push_back({path, include.line, std::move(fault)});
    }
  }
  return findings;
}

}  // namespace shopbell::house
