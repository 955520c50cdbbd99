// Determinism of the step, and what the virtual clock of the scenarios cannot show: claimed
// messages.
#include "engine/step.h"

#include <gtest/gtest.h>

#include "engine/stepper.h"

namespace shopbell::engine {
namespace {

const Uuid kStepContact = *Uuid::parse("019a8412-7c00-7abc-8def-0000000000c0");
const Uuid kRun = *Uuid::parse("019a8412-7c00-7abc-8def-0000000000d0");
const Instant kNow = *parse_rfc3339("2026-03-02T10:00:00Z");

Definition compiled(const std::string& source) {
  const Data json{source};
  KnownTypes types{.contact = object_of({}, true), .store = object_of({}, true), .events = {}};
  return compile(*json.root(), 1, types);
}

StepContext context_of(const Definition& definition, const Facts& facts, Instant now = kNow) {
  return {.account = 1,
          .contact_id = kStepContact,
          .definition = &definition,
          .contact = Data{R"({"email":"anna@example.com"})"},
          .store = Data{R"({"timeZone":"UTC"})"},
          .now = now,
          .facts = &facts};
}

Run new_run() {
  Run run;
  run.id = kRun;
  return run;
}

Event event_of(std::string kind, const std::string& data) {
  return {.uid = {},
          .kind = kind,
          .envelope = Data{R"({"id":"e1","kind":")" + kind + R"(","data":)" + data + "}"},
          .occurred_at = kNow,
          .received_at = kNow};
}

template <class Type>
std::vector<Type> of_type(const std::vector<Action>& actions) {
  std::vector<Type> found;
  for (const auto& action : actions)
    if (const auto* one = std::get_if<Type>(&action)) found.push_back(*one);
  return found;
}

const std::string kMail = R"({"trigger":{"event":"custom.a","key":"event.data.k"},)"
                          R"("reentry":{"mode":"restart","until":"UNTIL"},"nodes":[)"
                          R"({"id":"gift","type":"coupon","couponSet":"ten","as":"gift",)"
                          R"("releaseIfNotSent":true,"next":"mail"},)"
                          R"({"id":"mail","type":"email","template":"t","class":"marketing"}]})";

Definition restarting(const std::string& until) {
  std::string source = kMail;
  source.replace(source.find("UNTIL"), 5, until);
  return compiled(source);
}

// Starts a run; a claimed code makes the step go past the coupon.
StepResult started(const Definition& definition, Facts& facts) {
  StepResult result = start(context_of(definition, facts), new_run());
  for (const auto& need : result.needs)
    facts.coupons[std::get<CouponNeed>(need).claim] = {.code = "TEN-1", .expires_at = {}};
  return start(context_of(definition, facts), new_run());
}

TEST(Step, gives_the_same_actions_and_ids_twice) {
  const Definition definition = restarting("exit");
  Facts facts;
  const StepResult first = started(definition, facts);
  const StepResult second = start(context_of(definition, facts), new_run());
  ASSERT_TRUE(first.needs.empty());
  EXPECT_EQ(first.run.message, second.run.message);
  EXPECT_EQ(first.run.node, "mail");
  EXPECT_EQ(first.actions.size(), second.actions.size());
  ASSERT_EQ(of_type<PlanMessage>(first.actions).size(), 1U);
  EXPECT_EQ(of_type<PlanMessage>(first.actions).front().id,
            of_type<PlanMessage>(second.actions).front().id);
  EXPECT_EQ(first.run.seen, second.run.seen);
}

TEST(Step, asks_for_the_same_fact_until_it_has_it) {
  const Definition definition = restarting("exit");
  const Facts none;
  const StepResult first = start(context_of(definition, none), new_run());
  const StepResult second = start(context_of(definition, none), new_run());
  ASSERT_EQ(first.needs.size(), 1U);
  ASSERT_EQ(second.needs.size(), 1U);
  EXPECT_EQ(std::get<CouponNeed>(first.needs.front()).claim,
            std::get<CouponNeed>(second.needs.front()).claim);
}

TEST(Step, a_late_timer_plans_the_same_message) {
  const Definition definition = compiled(
      R"({"trigger":{"event":"custom.a"},"nodes":[{"id":"w","type":"wait","for":"PT1H",)"
      R"("next":"mail"},{"id":"mail","type":"email","template":"t","class":"marketing"}]})");
  const Facts facts;
  const engine::Run waiting = start(context_of(definition, facts), new_run()).run;
  const Instant due = kNow + std::chrono::hours{1};
  EXPECT_EQ(*waiting.due_at, due);
  EXPECT_TRUE(take_timer(context_of(definition, facts, due - std::chrono::microseconds{1}), waiting)
                  .actions.empty());
  const auto on_time = take_timer(context_of(definition, facts, due), waiting);
  const auto late = take_timer(context_of(definition, facts, due + std::chrono::hours{5}), waiting);
  ASSERT_TRUE(on_time.run.message);
  EXPECT_EQ(on_time.run.message, late.run.message);
}

TEST(Step, a_claimed_message_counts_as_the_first_send) {
  const Definition definition = restarting("firstSend");
  Facts facts;
  const engine::Run run = started(definition, facts).run;
  const Event event = event_of("custom.a", R"({"k":"new"})");
  EXPECT_EQ(restart(context_of(definition, facts), run, event).needs.size(), 1U);
  facts.withdrawn[*run.message] = false;
  const StepResult result = restart(context_of(definition, facts), run, event);
  EXPECT_EQ(result.run.message, run.message);
  EXPECT_EQ(result.run.visits, run.visits);
  EXPECT_EQ(text_at(result.run.trigger, "data.k"), "new");
  EXPECT_TRUE(of_type<ReleaseCoupon>(result.actions).empty());
}

TEST(Step, until_exit_a_claimed_message_does_not_stop_the_restart) {
  const Definition definition = restarting("exit");
  Facts facts;
  const engine::Run run = started(definition, facts).run;
  facts.withdrawn[*run.message] = false;
  const Event event = event_of("custom.a", R"({"k":"new"})");
  const auto asks = restart(context_of(definition, facts), run, event);
  ASSERT_EQ(asks.needs.size(), 1U);  // the code of the new visit
  facts.coupons[std::get<CouponNeed>(asks.needs.front()).claim] = {.code = "TEN-2",
                                                                   .expires_at = {}};
  const StepResult result = restart(context_of(definition, facts), run, event);
  EXPECT_NE(result.run.message, run.message);
  EXPECT_EQ(result.run.node, "mail");
  // The claimed message carries the first code, so that one stays with the contact.
  EXPECT_TRUE(of_type<ReleaseCoupon>(result.actions).empty());
}

TEST(Step, a_claimed_message_decides_about_the_code_after_the_end) {
  const Definition definition = restarting("exit");
  Facts facts;
  const engine::Run run = started(definition, facts).run;
  facts.withdrawn[*run.message] = false;
  const engine::Run done = end(context_of(definition, facts), run, "ended").run;
  EXPECT_EQ(done.state, RunState::done);
  const std::string about = R"({"messageId":")" + run.message->to_string() + "\"}";
  for (const auto& [outcome, releases] :
       {std::pair{"message.sent", 0U}, {"message.unknown", 0U}, {"message.failed", 1U}}) {
    const StepResult result =
        take_event(context_of(definition, facts), done, event_of(outcome, about));
    EXPECT_EQ(result.run.state, RunState::ended) << outcome;
    EXPECT_EQ(of_type<ReleaseCoupon>(result.actions).size(), releases) << outcome;
  }
}

TEST(Step, the_outcome_of_another_message_does_not_move_the_run) {
  const Definition definition = restarting("exit");
  Facts facts;
  const engine::Run run = started(definition, facts).run;
  const std::string other = R"({"messageId":")" + kRun.to_string() + "\"}";
  const StepResult result =
      take_event(context_of(definition, facts), run, event_of("message.sent", other));
  EXPECT_EQ(result.run.node, "mail");
  EXPECT_EQ(result.run.message, run.message);
}

TEST(Step, a_run_that_does_not_come_to_a_wait_is_parked) {
  const Definition definition =
      compiled(R"({"trigger":{"event":"custom.a"},"nodes":[{"id":"a","type":"branch",)"
               R"("cases":[{"when":{"value":"contact.email","op":"exists","to":true},)"
               R"("next":"b"}]},{"id":"b","type":"branch","cases":[{"when":)"
               R"({"value":"contact.email","op":"exists","to":true},"next":"a"}]}]})");
  const Facts facts;
  const StepResult result = start(context_of(definition, facts), new_run());
  EXPECT_EQ(result.run.state, RunState::parked);
  EXPECT_EQ(result.run.why, "the run does not come to a wait");
}

}  // namespace
}  // namespace shopbell::engine
