// Several runs of one person: the numbers count people, not runs.
#include "engine/person.h"

#include <algorithm>
#include <format>

#include <gtest/gtest.h>

namespace shopbell::engine {
namespace {

const Uuid kFlow = *Uuid::parse("019a8412-7c00-7abc-8def-0000000000f0");
const Instant kBegin = *parse_rfc3339("2026-03-02T10:00:00Z");

Workflows workflows_of(const std::string& source) {
  const Data json{source};
  KnownTypes types{.contact = object_of({}, true), .store = object_of({}, true), .events = {}};
  Workflow workflow{.id = kFlow, .active_version = 1};
  workflow.versions[1] = std::make_shared<const Definition>(compile(*json.root(), 1, types));
  return {{kFlow, workflow}};
}

Event event_with_key(const std::string& kind, const std::string& key, int minute) {
  const Instant at = kBegin + std::chrono::minutes{minute};
  return {
      .uid = {},
      .kind = kind,
      .envelope = Data{R"({"id":"e","kind":")" + kind + R"(","data":{"key":")" + key + R"("}})"},
      .occurred_at = at,
      .received_at = at};
}

// A person whose events are applied one by one, as the lanes do: each with the runs that are
// stored then. Enrolments are loaded only for events that may start runs.
class StoredPerson {
 public:
  explicit StoredPerson(Workflows workflows) : workflows_{std::move(workflows)} {
    person_.account = 1;
    person_.contact = Data{"{}"};
    person_.store = Data{R"({"timeZone":"UTC"})"};
  }

  void happen(const std::string& kind, const std::string& key) {
    Reaction reaction = react(person_, event_with_key(kind, key, ++minute_), workflows_, Facts{});
    person_ = std::move(reaction.person);
    std::erase_if(person_.runs, [](const Run& run) { return run.state == RunState::ended; });
    person_.enrolments.clear();
    for (const auto& action : reaction.actions)
      if (const auto* count = std::get_if<CountPerson>(&action))
        ++counted_[{count->node, count->edge}];
  }
  int counted(const std::string& node, const std::string& edge) const {
    const auto found = counted_.find({node, edge});
    return found == counted_.end() ? 0 : found->second;
  }

 private:
  const Workflows workflows_;
  Person person_;
  int minute_ = 0;
  std::map<std::pair<std::string, std::string>, int> counted_;
};

// The events of one request have the same time.
TEST(Person, has_a_new_run_id_for_each_start_in_the_same_microsecond) {
  const Workflows workflows =
      workflows_of(R"({"trigger":{"event":"custom.join"},"reentry":{"mode":"afterExit"},"nodes":[)"
                   R"({"id":"end","type":"exit"}]})");
  Person anna{.account = 1, .contact = Data{"{}"}, .store = Data{R"({"timeZone":"UTC"})"}};
  for (int i = 1; i <= 2; ++i) {
    Event join = event_with_key("custom.join", "", 0);
    join.uid = *Uuid::parse(std::format("019a8412-7c00-7abc-8def-00000000000{}", i));
    anna = react(anna, join, workflows, Facts{}).person;
  }
  ASSERT_EQ(anna.runs.size(), 2U);
  EXPECT_NE(anna.runs[0].id, anna.runs[1].id);
}

TEST(Person, has_a_new_run_id_for_each_scheduled_start_in_the_same_microsecond) {
  const Workflows workflows = workflows_of(
      R"({"trigger":{"schedule":{"at":"09:00","every":"day"}},"reentry":{"mode":"afterExit"},)"
      R"("nodes":[{"id":"end","type":"exit"}]})");
  Person anna{.account = 1, .contact = Data{"{}"}, .store = Data{R"({"timeZone":"UTC"})"}};
  for (int i = 1; i <= 2; ++i) {
    const ScheduleTime time{
        .uid = *Uuid::parse(std::format("019a8412-7c00-7abc-8def-00000000000{}", i)),
        .now = {},
        .date = "2026-03-27"};
    anna = start_on_schedule(anna, workflows.begin()->first, time, workflows, Facts{}).person;
  }
  ASSERT_EQ(anna.runs.size(), 2U);
  EXPECT_NE(anna.runs[0].id, anna.runs[1].id);
}

TEST(Person, is_counted_once_although_another_run_has_ended_before) {
  StoredPerson anna{workflows_of(
      R"({"trigger":{"event":"custom.join","key":"event.data.key"},"nodes":[)"
      R"({"id":"wait","type":"waitForEvent","timeout":"P1D","onTimeout":"last","events":[)"
      R"({"event":"custom.go","next":"last",)"
      R"("where":{"value":"event.data.key","op":"eq","to":{"ref":"run.key"}}}]},)"
      R"({"id":"last","type":"exit"}]})")};
  anna.happen("custom.join", "a");
  anna.happen("custom.join", "b");
  anna.happen("custom.go", "a");
  EXPECT_EQ(anna.counted("last", ""), 1);
  anna.happen("custom.go", "b");
  EXPECT_EQ(anna.counted("last", ""), 1);
  EXPECT_EQ(anna.counted("", "entered"), 1);
  EXPECT_EQ(anna.counted("", "completed"), 1);
}

// A definition whose runs start at custom.cart, with one node.
std::shared_ptr<const Definition> with_node(const std::string& node, std::int64_t version) {
  const Data json{R"({"trigger":{"event":"custom.cart"},"nodes":[)" + node + "]}"};
  const KnownTypes types{
      .contact = object_of({}, true), .store = object_of({}, true), .events = {}};
  return std::make_shared<const Definition>(compile(*json.root(), version, types));
}

TEST(Person, waits_only_for_the_node_that_an_operator_moved_the_run_to) {
  Workflow workflow{.id = kFlow, .active_version = 1};
  const std::string pause = R"({"id":"pause","type":"wait","for":"P1D"})";
  workflow.versions[1] = with_node(pause, 1);
  workflow.versions[2] =
      with_node(R"({"id":"call","type":"webhook","eventType":"lead","data":{}})", 2);
  workflow.versions[3] = with_node(pause, 3);
  const Workflows workflows{{kFlow, workflow}};
  Person person{.account = 1,
                .contact_id = {},
                .contact = Data{"{}"},
                .store = Data{R"({"timeZone":"UTC"})"},
                .runs = {},
                .enrolments = {}};
  person = react(person, event_with_key("custom.cart", "a", 1), workflows, Facts{}).person;
  ASSERT_EQ(person.runs.size(), 1U);
  EXPECT_TRUE(person.runs[0].due_at);
  const auto moved = [&](std::int64_t version, const std::string& from, const std::string& to) {
    const Command command{
        .kind = Command::Kind::move, .why = {}, .version = version, .nodes = {{from, to}}};
    person = obey(person, person.runs.at(0).id, command, kBegin + std::chrono::hours{1}, workflows,
                  Facts{})
                 .person;
  };
  moved(2, "pause", "call");
  EXPECT_TRUE(person.runs.at(0).delivery);
  EXPECT_FALSE(person.runs.at(0).due_at);
  moved(3, "call", "pause");
  EXPECT_FALSE(person.runs.at(0).delivery);
  EXPECT_TRUE(person.runs.at(0).due_at);
}

}  // namespace
}  // namespace shopbell::engine
