// Runs the scenarios in src/engine/scenarios: definitions, timed inputs and the expected outcome.
// src/engine/scenarios/README.md describes the files.
#include <algorithm>
#include <filesystem>
#include <format>

#include <gtest/gtest.h>

#include "engine/merge_patch.h"
#include "engine/rehearsal.h"
#include "json/writer.h"
#include "testing/scenario_types.h"
#include "testing/yaml.h"

namespace shopbell::engine {
namespace {

constexpr std::string_view kFolder = "src/engine/scenarios";
const Uuid kContact = *Uuid::parse("019a8412-7c00-7abc-8def-0000000000c0");

std::string text_or(const json::Value& value, std::string_view name, std::string other) {
  const auto found = value.member(name);
  return found && found->type() == json::Type::text ? std::string{found->text()} : other;
}

// Times are written "2026-03-02 10:00" or "2026-03-02 10:00:30", in UTC.
Instant time_of(std::string_view text) {
  std::string full{text};
  if (full.size() == 16) full += ":00";
  full[10] = 'T';
  const auto instant = parse_rfc3339(full + "Z");
  if (!instant) throw std::invalid_argument{std::format("not a time: {}", text)};
  return *instant;
}

std::string shown(Instant instant) {
  std::string text = to_rfc3339(instant).substr(0, 19);
  text[10] = ' ';
  return text.ends_with(":00") ? text.substr(0, 16) : text;
}

// One scenario of a file, with the parts that the file's scenarios share.
class Scenario {
 public:
  Scenario(const json::Value& file, const json::Value& scenario)
      : file_{file}, scenario_{scenario}, types_{testing::types_of_scenarios(file)} {}

  // Lets everything happen.
  Rehearsal rehearse() {
    Rehearsal rehearsal = prepare();
    scenario_.member("when")->for_each([&](std::string_view, const json::Value& step) {
      rehearsal.advance_to(time_of(text_or(step, "at", "")));
      perform(rehearsal, step);
    });
    const auto until = scenario_.member("until");
    rehearsal.finish(time_of(until ? until->text() : "2038-01-01 00:00"));
    return rehearsal;
  }

  void check(const Rehearsal& rehearsal) {
    EXPECT_EQ(lines_of(rehearsal), expected());
    if (const auto people = scenario_.member("people"))
      people->for_each([&](std::string_view place, const json::Value& count) {
        const auto found = rehearsal.people().find(std::string{place});
        EXPECT_EQ(found == rehearsal.people().end() ? 0 : found->second,
                  std::stoll(std::string{count.number_text()}))
            << place;
      });
    if (const auto waits = scenario_.member("waitsAt")) {
      std::vector<std::string> nodes;
      for (const auto& run : rehearsal.person().runs)
        if (run.is_open()) nodes.push_back(run.node);
      EXPECT_EQ(nodes, std::vector<std::string>{std::string{waits->text()}});
    }
  }

  static std::vector<std::string> lines_of(const Rehearsal& rehearsal) {
    std::vector<std::string> happened;
    for (const auto& outcome : rehearsal.outcomes())
      happened.push_back(std::format("{} {}{}{}", shown(outcome.at), outcome.what,
                                     outcome.detail.empty() ? "" : " ", outcome.detail));
    return happened;
  }

 private:
  std::vector<std::string> expected() const {
    std::vector<std::string> lines;
    scenario_.member("then")->for_each(
        [&](std::string_view, const json::Value& line) { lines.emplace_back(line.text()); });
    return lines;
  }

  std::optional<json::Value> part(std::string_view name) const {
    const auto own = scenario_.member(name);
    return own ? own : file_.member(name);
  }

  Data data_of(std::string_view name, const std::string& base) const {
    Data data{base};
    for (const auto* source : {&file_, &scenario_})
      if (const auto more = source->member(name)) data = Data{merged(*data.root(), *more)};
    return data;
  }

  Workflows workflows() {
    Workflows workflows;
    const auto add = [&](const json::Value& definition) {
      const std::string number = std::format("{:012}", workflows.size() + 1);
      const Uuid id = *Uuid::parse("019a8412-7c00-7abc-8def-" + number);
      ids_.push_back(id);
      Workflow workflow{.id = id, .active_version = 1, .versions = {}};
      if (const auto priority = definition.member("priority"))
        workflow.priority = std::stoll(std::string{priority->number_text()});
      workflow.versions[1] = std::make_shared<Definition>(compile(definition, 1, types_));
      workflows.emplace(id, std::move(workflow));
    };
    if (const auto one = part("workflow")) add(*one);
    if (const auto several = part("workflows"))
      several->for_each([&](std::string_view, const json::Value& one) { add(one); });
    return workflows;
  }

  Surroundings surroundings() const {
    Surroundings around;
    if (const auto sets = part("coupons"))
      sets->for_each([&](std::string_view set, const json::Value& codes) {
        codes.for_each([&](std::string_view, const json::Value& code) {
          around.coupon_codes[std::string{set}].emplace_back(code.text());
        });
      });
    for (const std::string type : {"product", "variant", "purchase"})
      if (const auto objects = part(type + "s"))
        objects->for_each([&](std::string_view id, const json::Value& object) {
          around.objects.emplace(std::pair{type, std::string{id}}, Data{object.to_json()});
        });
    if (const auto cap = part("cap"))
      around.caps.push_back(
          {.messages = std::stoll(std::string{cap->member("messages")->number_text()}),
           .span = std::chrono::seconds{
               parse_duration(cap->member("within")->text())->most_seconds()}});
    if (const auto outcomes = part("mail"))
      outcomes->for_each([&](std::string_view name, const json::Value& outcome) {
        around.message_outcomes[std::string{name}] = outcome.text();
      });
    if (const auto fail = part("webhooksFail")) around.webhooks_fail = fail->boolean();
    return around;
  }

  Rehearsal prepare() {
    Person person{.account = 1, .contact_id = kContact};
    person.contact = data_of("contact", R"({"id":"019a8412-7c00-7abc-8def-0000000000c0",)"
                                        R"("email":"anna@example.com",)"
                                        R"("emailSubscription":"subscribed"})");
    person.store = data_of("store", R"({"name":"Shop","timeZone":"UTC"})");
    Instant start = time_of("2026-01-01 00:00");
    if (const auto from = part("from")) start = time_of(from->text());
    return {std::move(person), workflows(), surroundings(), start};
  }

  // Replaces "$run" by the id of the contact's first run.
  static std::string with_run(std::string data, const Person& person) {
    constexpr std::string_view kRun = "$run";
    const auto at = data.find(kRun);
    if (at == std::string::npos || person.runs.empty()) return data;
    return data.replace(at, kRun.size(), person.runs.front().id.to_string());
  }

  void perform(Rehearsal& rehearsal, const json::Value& step) {
    const auto member = [&](std::string_view name) { return step.member(name); };
    const Uuid workflow = ids_.front();
    if (const auto patch = member("contact")) rehearsal.change_contact(patch->to_json());
    if (const auto outcomes = member("mail"))
      outcomes->for_each([&](std::string_view name, const json::Value& outcome) {
        rehearsal.surroundings().message_outcomes[std::string{name}] = outcome.text();
      });
    if (const auto kind = member("event")) {
      const auto data = member("data");
      const auto occurred = member("occurredAt");
      rehearsal.happen(std::string{kind->text()},
                       data ? with_run(data->to_json(), rehearsal.person()) : "{}",
                       text_or(step, "triggerWorkflows", "all"),
                       occurred ? std::optional{time_of(occurred->text())} : std::nullopt);
    }
    const std::string command = text_or(step, "do", "");
    if (command == "pause") rehearsal.pause(workflow);
    if (command == "resume") rehearsal.resume(workflow);
    if (command == "retry") rehearsal.release_runs(workflow);
    if (command == "end") rehearsal.end_runs(workflow);
    if (const auto definition = member("publish")) publish(rehearsal, step, *definition);
  }

  void publish(Rehearsal& rehearsal, const json::Value& step, const json::Value& definition) {
    std::map<std::string, std::string, std::less<>> nodes;
    if (const auto map = step.member("map"))
      map->for_each(
          [&](std::string_view from, const json::Value& to) { nodes.emplace(from, to.text()); });
    rehearsal.publish(ids_.front(),
                      std::make_shared<Definition>(compile(definition, ++version_, types_)),
                      std::move(nodes));
  }

  const json::Value file_;
  const json::Value scenario_;
  const KnownTypes types_;
  std::vector<Uuid> ids_;
  std::int64_t version_ = 1;
};

// Calls one(file, scenario) for each scenario.
template <class One>
void for_each_scenario(One one) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator{kFolder})
    if (entry.path().extension() == ".yaml") paths.push_back(entry.path());
  std::ranges::sort(paths);
  for (const auto& path : paths) {
    const Data file{testing::read_yaml_as_json(path.string())};
    file.root()->member("scenarios")->for_each([&](std::string_view, const json::Value& scenario) {
      SCOPED_TRACE(path.filename().string() + ": " + text_or(scenario, "name", "without a name"));
      try {
        one(*file.root(), scenario);
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
      }
    });
  }
}

TEST(Scenarios, have_the_expected_outcome) {
  int scenarios = 0;
  for_each_scenario([&](const json::Value& file, const json::Value& source) {
    Scenario scenario{file, source};
    scenario.check(scenario.rehearse());
    ++scenarios;
  });
  EXPECT_GE(scenarios, 200) << "run the tests in the checkout's folder";
}

TEST(Scenarios, give_the_same_outcome_and_ids_twice) {
  const auto ids_of = [](const Rehearsal& rehearsal) {
    std::vector<std::string> ids;
    for (const auto& enrolment : rehearsal.person().enrolments)
      ids.push_back(enrolment.run.to_string());
    for (const auto& run : rehearsal.person().runs)
      ids.push_back(run.message.value_or(Uuid{}).to_string());
    return ids;
  };
  for_each_scenario([&](const json::Value& file, const json::Value& source) {
    const Rehearsal first = Scenario{file, source}.rehearse();
    const Rehearsal second = Scenario{file, source}.rehearse();
    EXPECT_EQ(Scenario::lines_of(first), Scenario::lines_of(second));
    EXPECT_EQ(first.people(), second.people());
    EXPECT_EQ(ids_of(first), ids_of(second));
  });
}

}  // namespace
}  // namespace shopbell::engine
