#include "app/doctor/doctor.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <format>
#include <print>
#include <vector>

#include "app/doctor/doctor_checks.h"
#include "json/writer.h"
#include "observe/log.h"

namespace shopbell::app {

namespace {

struct Line {
  std::string_view check;
  Finding finding;
};

std::string_view word_of(Grade grade) {
  constexpr std::array<std::string_view, 3> kWords{"ok", "warn", "fault"};
  return kWords[static_cast<std::size_t>(grade)];
}

// Replaces control characters, such as line breaks in libpq's messages or file names, by spaces.
std::string on_one_line(std::string text) {
  std::ranges::replace_if(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return text;
}

Finding not_checked(std::string_view why) {
  return {Grade::warn, std::format("not checked: {}", why),
          "fix the problems in the other lines, then run `shopbell doctor` again"};
}

Finding run_check(const Check& check, InspectedInstallation& installation) {
  try {
    return check.run(installation);
  } catch (const std::exception& error) {
    return not_checked(error.what());
  }
}

std::vector<Line> run_checks(InspectedInstallation& installation) {
  std::vector<Line> lines;
  for (const auto checks : {machine_checks(), transport_checks(), database_checks()}) {
    for (const auto& check : checks) {
      Finding finding = run_check(check, installation);
      finding.found = on_one_line(std::move(finding.found));
      finding.mend = on_one_line(std::move(finding.mend));
      lines.push_back({check.name, std::move(finding)});
    }
  }
  return lines;
}

void print_lines(const std::vector<Line>& lines) {
  for (const auto& [check, finding] : lines) {
    std::print("{:<5}  {:<18}  {}", word_of(finding.grade), check, finding.found);
    if (!finding.mend.empty()) std::print(". Fix: {}", finding.mend);
    std::println();
  }
}

void print_json(const std::vector<Line>& lines) {
  json::Writer writer;
  writer.begin_list();
  for (const auto& [check, finding] : lines) {
    writer.begin_object().key("check").text(check).key("grade").text(word_of(finding.grade));
    writer.key("found").text(finding.found).key("mend");
    if (finding.mend.empty()) {
      writer.null();
    } else {
      writer.text(finding.mend);
    }
    writer.end();
  }
  writer.end();
  std::println("{}", writer.finish(json::Writer::Layout::indented));
}

}  // namespace

int run_doctor(const std::filesystem::path& config_file, bool as_json) {
  observe::start_logs(observe::Level::error);  // the checks report failed connections themselves
  InspectedInstallation installation{config_file};
  const auto lines = run_checks(installation);
  if (as_json) {
    print_json(lines);
  } else {
    print_lines(lines);
  }
  const bool has_fault = std::ranges::any_of(
      lines, [](const Line& line) { return line.finding.grade == Grade::fault; });
  return has_fault ? EXIT_FAILURE : EXIT_SUCCESS;
}

}  // namespace shopbell::app
