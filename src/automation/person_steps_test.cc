#include "automation/person_steps.h"

#include <gtest/gtest.h>

#include "engine/value_type.h"
#include "events/event.h"

namespace shopbell::automation {
namespace {

using engine::Run;
using engine::RunState;

class PersonStepsTest : public ::testing::Test {
 protected:
  PersonStepsTest() {
    const auto source = json::Document::parse(
        R"({"trigger":{"event":"custom.visit"},"goal":{"event":"purchase.created","within":"P2D"},)"
        R"("nodes":[{"id":"day","type":"wait","for":"P1D","next":"end"},)"
        R"({"id":"seen","type":"waitForEvent","events":[{"event":"custom.go","next":"end"}],)"
        R"("timeout":"P1D","onTimeout":"end"},)"
        R"({"id":"end","type":"exit"}]})");
    engine::KnownTypes types{
        .contact = engine::object_of({}, true), .store = engine::object_of({}, true), .events = {}};
    engine::Workflow workflow{.id = workflow_, .active_version = 1, .versions = {}};
    workflow.versions[1] =
        std::make_shared<const engine::Definition>(engine::compile(source->root(), 1, types));
    known_.workflows.emplace(workflow_, std::move(workflow));
    known_.store = engine::Data{"{}"};
    known_.index_triggers();
  }

  StoredRun run_in(RunState state) const {
    StoredRun row{.run = {.id = run_, .workflow = workflow_, .state = state, .node = "end"},
                  .owner = anna_,
                  .seq = 3};
    row.run.started_at = start_;
    row.run.due_at = start_ + std::chrono::hours{48};
    row.timer_at = row.run.due_at;
    return row;
  }
  PersonSteps steps_of(Input input, std::optional<Uuid> merged_into = {}) {
    return {anna_,
            {std::move(input)},
            known_,
            merged_into ? engine::Data{} : engine::Data{"{}"},
            merged_into};
  }
  static Writes writes_of(PersonSteps& person) {
    person.step();
    Writes writes;
    person.add_to(writes);
    return writes;
  }

  const Instant start_{std::chrono::sys_days{std::chrono::year{2026} / 3 / 2}};
  const ContactKey anna_{1, *Uuid::parse("019a8412-7c00-7abc-8def-0000000000c0")};
  const Uuid berta_ = *Uuid::parse("019a8412-7c00-7abc-8def-0000000000c1");
  const Uuid workflow_ = *Uuid::parse("019a8412-7c00-7abc-8def-000000000001");
  const Uuid run_ = *Uuid::parse("019a8412-7c00-7abc-8def-000000000002");
  AccountWorkflows known_;
};

TEST_F(PersonStepsTest, a_run_that_was_done_ends_after_the_time_of_its_goal) {
  const Instant due = start_ + std::chrono::hours{48};
  PersonSteps person = steps_of({.what = FiredTimer{.run = run_, .due_at = due}, .now = due});
  person.add(run_in(RunState::done));
  const Writes writes = writes_of(person);
  ASSERT_EQ(writes.ended.size(), 1U);
  EXPECT_EQ(writes.ended.front().at, due);
  EXPECT_TRUE(writes.events.empty());  // its exit was told before
}

// Otherwise the person would be counted again at the nodes that the other run reaches.
TEST_F(PersonStepsTest, a_run_keeps_what_an_ended_run_of_the_workflow_has_passed) {
  const Instant due = start_ + std::chrono::hours{48};
  PersonSteps person = steps_of({.what = FiredTimer{.run = run_, .due_at = due}, .now = due});
  StoredRun ending = run_in(RunState::done);
  ending.run.seen = {{"day", "next"}};
  StoredRun other = run_in(RunState::open);
  other.run.id = berta_;
  other.run.node = "day";
  person.add(ending);
  person.add(other);
  const Writes writes = writes_of(person);
  ASSERT_EQ(writes.moved.size(), 1U);
  EXPECT_EQ(writes.moved.front().run.id, other.run.id);
  EXPECT_TRUE(writes.moved.front().run.seen.contains({"day", "next"}));
}

TEST_F(PersonStepsTest, a_woken_run_counts_nothing_that_another_run_has_passed) {
  engine::Event woken_by{.kind = "custom.go", .envelope = engine::Data{"{}"}, .only = {run_}};
  woken_by.occurred_at = woken_by.received_at = start_;
  StoredRun woken = run_in(RunState::open);
  woken.run.node = "seen";
  woken.run.subjects = {""};
  StoredRun other = run_in(RunState::open);
  other.run.id = berta_;
  other.run.node = "seen";
  other.run.seen = {{"end", ""}};
  PersonSteps person = steps_of({.what = HappenedEvent{.event = woken_by}, .now = start_});
  person.add(woken);
  person.add(other);
  const Writes writes = writes_of(person);
  ASSERT_EQ(writes.moved.size(), 1U);
  EXPECT_EQ(writes.moved.front().run.id, run_);
  EXPECT_EQ(writes.moved.front().run.node, "end");
  const Counter reached{anna_.account, workflow_, "end", "reached"};
  EXPECT_FALSE(writes.counts.contains(reached));
}

TEST_F(PersonStepsTest, a_run_that_moves_to_a_version_which_reads_its_trigger_gets_it) {
  known_.facts[{workflow_, 2}].reads_trigger = true;
  engine::Command move{.kind = engine::Command::Kind::move, .version = 2, .nodes = {}};
  PersonSteps person = steps_of({.what = RunCommand{.run = run_, .command = move}, .now = start_});
  StoredRun row = run_in(RunState::open);
  row.trigger = EventKey{start_, 7};
  person.add(row);
  EXPECT_EQ(person.triggers(), std::set{*row.trigger});
}

TEST_F(PersonStepsTest, a_merged_contact_keeps_its_past_until_it_is_handed_over) {
  HappenedEvent visit{.event = {.kind = "custom.visit", .envelope = engine::Data{"{}"}},
                      .key = EventKey{start_, 1},
                      .follows_merge = true};
  PersonSteps before = steps_of({.what = visit, .now = start_}, berta_);
  const Writes forwarded = writes_of(before);
  EXPECT_TRUE(forwarded.merged.empty());
  ASSERT_EQ(forwarded.events.size(), 1U);
  EXPECT_EQ(forwarded.events.front().kind, kForward);
  PersonSteps person = steps_of({.what = Handover{berta_}, .now = start_}, berta_);
  EXPECT_EQ(writes_of(person).merged.at(anna_), berta_);
}

TEST_F(PersonStepsTest, events_behind_a_handover_go_where_the_other_contact_was_merged_since) {
  const Uuid clara = run_;
  const HappenedEvent visit{.event = {.kind = "custom.visit", .envelope = engine::Data{"{}"}},
                            .follows_merge = true};
  PersonSteps person{anna_,
                     {{.what = Handover{berta_}, .now = start_}, {.what = visit, .now = start_}},
                     known_,
                     engine::Data{},
                     clara};
  const Writes writes = writes_of(person);
  ASSERT_EQ(writes.events.size(), 1U);
  EXPECT_EQ(writes.events.front().kind, kForward);
  EXPECT_EQ(writes.events.front().contact, clara);
}

TEST_F(PersonStepsTest, a_contact_that_was_merged_passes_adopted_enrolments_on) {
  const engine::Enrolment enrolment{
      .workflow = workflow_, .key = {}, .run = run_, .started_at = start_, .ended_at = start_};
  const Input adoption{.what = Adoption{{enrolment}}, .now = start_};
  PersonSteps person = steps_of(adoption, berta_);
  const Writes writes = writes_of(person);
  EXPECT_TRUE(writes.enrolled.empty());
  ASSERT_EQ(writes.events.size(), 1U);
  EXPECT_EQ(writes.events.front().kind, kAdopt);
  EXPECT_EQ(writes.events.front().contact, berta_);
  PersonSteps there = steps_of(adoption);
  EXPECT_EQ(writes_of(there).enrolled.size(), 1U);
}

// Erasing a contact clears the payloads of its events, also of the contacts merged into it.
TEST_F(PersonStepsTest, a_contact_goes_with_the_one_it_was_merged_into) {
  event_log::Entry handover;
  handover.account = anna_.account;
  handover.contact_id = anna_.contact;
  handover.kind = "handover";
  const Inputs inputs = inputs_of({.entries = {&handover}, .timers = {}});
  PersonSteps person{anna_, inputs.at(anna_), known_, engine::Data{}, berta_};
  person.add(run_in(RunState::open));
  const Writes writes = writes_of(person);
  EXPECT_TRUE(writes.erased.contains(anna_));
  EXPECT_TRUE(writes.events.empty());
}

TEST_F(PersonStepsTest, what_is_passed_on_to_an_erased_contact_is_forgotten) {
  const HappenedEvent forwarded{.event = {.kind = "custom.visit", .envelope = engine::Data{"{}"}},
                                .follows_merge = true};
  for (const Input& input :
       {Input{.what = forwarded, .now = start_}, Input{.what = Adoption{}, .now = start_}}) {
    PersonSteps erased{anna_, {input}, known_, engine::Data{}, std::nullopt};
    EXPECT_TRUE(writes_of(erased).erased.contains(anna_));
  }
  HappenedEvent own = forwarded;
  own.key = EventKey{start_, 1};
  PersonSteps unread{anna_, {{.what = own, .now = start_}}, known_, engine::Data{}, std::nullopt};
  EXPECT_TRUE(writes_of(unread).erased.empty());  // its contact.deleted is yet to come
}

// A step that lacks facts is repeated: the condition must not seem to have held before.
TEST_F(PersonStepsTest, a_schedule_starts_a_run_that_asks_for_facts_first) {
  const auto source = json::Document::parse(
      R"({"trigger":{"schedule":{"at":"09:00","every":"day","mode":"becomesTrue","where":)"
      R"({"value":"contact.points","op":"ge","to":10}}},"nodes":[{"id":"gift","type":"coupon",)"
      R"("couponSet":"ten","as":"gift","next":"end","onEmpty":"end"},{"id":"end","type":"exit"}]})");
  engine::KnownTypes types{
      .contact = engine::object_of({{"points", {.kind = engine::ValueType::Kind::number}}}),
      .store = engine::object_of({}, true),
      .events = {}};
  engine::Workflow workflow{.id = workflow_, .active_version = 1, .versions = {}};
  workflow.versions[1] =
      std::make_shared<const engine::Definition>(engine::compile(source->root(), 1, types));
  known_.workflows[workflow_] = std::move(workflow);
  const ScheduleStart start{.workflow = workflow_,
                            .version = 1,
                            .time = {.uid = {}, .now = start_, .date = "2026-03-02"}};
  PersonSteps person{anna_,
                     {{.what = start, .now = start_}, {.what = start, .now = start_}},
                     known_,
                     engine::Data{R"({"points":12})"},
                     std::nullopt};
  person.step();
  ASSERT_EQ(person.needs().size(), 1U);
  const Uuid claim = std::get<engine::CouponNeed>(person.needs().front()).claim;
  person.facts().coupons[claim] = {.code = "TEN-1"};
  const Writes writes = writes_of(person);
  EXPECT_TRUE(person.needs().empty());
  EXPECT_EQ(writes.ended.size(), 1U);  // not two: the condition holds already
}

}  // namespace
}  // namespace shopbell::automation
