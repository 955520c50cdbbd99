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

// One line per check, whatever libpq or a file's name put between.
std::string on_one_line(std::string text) {
  std::ranges::replace_if(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return text;
}

Finding not_checked(std::string_view why) {
  return {Grade::warn, std::format("not checked: {}", why),
          "mend what the other lines say, then run `shopbell doctor` again"};
}

Finding look(const Check& check, InspectedInstallation& installation) {
  try {
    return check.look(installation);
  } catch (const std::exception& error) {
    return not_checked(error.what());
  }
}

std::vector<Line> examine(InspectedInstallation& installation) {
  std::vector<Line> lines;
  for (const auto checks : {machine_checks(), database_checks()}) {
    for (const auto& check : checks) {
      Finding finding = look(check, installation);
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
    if (!finding.mend.empty()) std::print(". Mend: {}", finding.mend);
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
  observe::start_logs(observe::Level::error);  // what connections have to say, the lines say
  InspectedInstallation installation{config_file};
  const auto lines = examine(installation);
  if (as_json) {
    print_json(lines);
  } else {
    print_lines(lines);
  }
  const bool is_ill = std::ranges::any_of(
      lines, [](const Line& line) { return line.finding.grade == Grade::fault; });
  return is_ill ? EXIT_FAILURE : EXIT_SUCCESS;
}

}  // namespace shopbell::app
