// The contract of the lanes' store. PostgreSQL and the simulator's memory pass the same tests.
#include <gtest/gtest.h>

#include "base/time.h"
#include "simulator/lane_store_contract.h"
#include "simulator/world.h"

namespace shopbell::simulator {
namespace {

using automation::Answers;
using automation::Loaded;
using automation::Questions;
using automation::StoredRun;
using automation::Writes;

class LaneStoreTest : public ::testing::TestWithParam<std::unique_ptr<Backing> (*)()> {
 protected:
  LaneStoreTest() {
    for (const auto& contact : {anna_, berta_}) backing_->add_contact(contact);
  }

  ContactKey key(const Uuid& contact) const { return {backing_->account(), contact}; }
  StoredRun run_of(const Uuid& contact) const {
    StoredRun row;
    row.owner = key(contact);
    row.run.id = Uuid::v7(backing_->now());
    row.run.workflow = workflow_;
    row.run.node = "day";
    row.run.started_at = row.run.node_since = backing_->now();
    return row;
  }
  Loaded load(const Uuid& contact) {
    Loaded loaded;
    backing_->transact([&](LaneStore& store) -> awaitable<void> {
      loaded =
          co_await store.load({.contacts = {key(contact)},
                               .enrolments = {{.owner = key(contact), .workflow = workflow_}}});
    });
    return loaded;
  }
  Answers look_up(const Questions& questions) {
    Answers answers;
    backing_->transact(
        [&](LaneStore& store) -> awaitable<void> { answers = co_await store.look_up(questions); });
    return answers;
  }
  bool write(const Writes& writes) {
    return backing_->transact(
        [&](LaneStore& store) -> awaitable<void> { co_await store.write(writes); });
  }
  automation::NewEnrolment enrolment_of(const StoredRun& row, std::optional<Uuid> replaces) const {
    return {.row = {.owner = row.owner,
                    .enrolment = {.workflow = workflow_,
                                  .key = "c1",
                                  .run = row.run.id,
                                  .started_at = backing_->now(),
                                  .ended_at = {},
                                  .seen = {}}},
            .replaces = replaces};
  }
  automation::Planned message_of(const StoredRun& row, const Uuid& id) const {
    return {.owner = row.owner,
            .workflow = workflow_,
            .message = {.id = id, .run = row.run.id, .node = "mail", .template_name = "hello"},
            .send_rules = {},
            .at = backing_->now()};
  }

  std::unique_ptr<Backing> backing_ = GetParam()();
  const Uuid workflow_ = Uuid::v7(backing_->now());
  const Uuid anna_ = Uuid::v7(backing_->now());
  const Uuid berta_ = Uuid::v7(backing_->now());
};

TEST_P(LaneStoreTest, loads_contacts_and_tells_which_were_merged) {
  backing_->merge(berta_, anna_);
  EXPECT_TRUE(load(anna_).contacts.contains(key(anna_)));
  const Loaded merged = load(berta_);
  EXPECT_TRUE(merged.contacts.empty());
  EXPECT_EQ(merged.merged.at(key(berta_)), anna_);
  EXPECT_EQ(merged.accounts.size(), 1U);
}

TEST_P(LaneStoreTest, keeps_runs_and_requires_the_one_that_was_read) {
  StoredRun row = run_of(anna_);
  row.run.due_at = backing_->now() + std::chrono::hours{1};
  row.run.variables.emplace("code", engine::Data{R"({"code":"A"})"});
  row.run.seen = {{"day", ""}};
  ASSERT_TRUE(write({.started = {row}}));
  EXPECT_FALSE(write({.started = {row}}));
  const Loaded loaded = load(anna_);
  ASSERT_EQ(loaded.runs.size(), 1U);
  StoredRun read = loaded.runs.front();
  EXPECT_EQ(read.run.due_at, row.run.due_at);
  EXPECT_EQ(read.run.variables.at("code").json(), R"({"code":"A"})");
  EXPECT_EQ(read.run.seen, row.run.seen);
  read.run.node = "week";
  ASSERT_TRUE(write({.moved = {read}}));
  EXPECT_FALSE(write({.moved = {read}}));  // it has changed since it was read
  EXPECT_FALSE(write({.ended = {{.run = read, .at = backing_->now()}}}));
  EXPECT_EQ(load(anna_).runs.front().run.node, "week");
}

TEST_P(LaneStoreTest, moves_ended_runs_to_the_history) {
  ASSERT_TRUE(write({.started = {run_of(anna_)}}));
  StoredRun read = load(anna_).runs.front();
  read.run.why = "completed";
  StoredRun brief = run_of(anna_);  // it ends in the transaction that started it
  ASSERT_TRUE(write(
      {.ended = {{.run = read, .at = backing_->now()}, {.run = brief, .at = backing_->now()}}}));
  EXPECT_TRUE(load(anna_).runs.empty());
  EXPECT_EQ(backing_->past().size(), 2U);
}

TEST_P(LaneStoreTest, keeps_one_enrolment_per_key) {
  const StoredRun first = run_of(anna_);
  const StoredRun second = run_of(anna_);
  ASSERT_TRUE(write({.enrolled = {enrolment_of(first, {})}}));
  EXPECT_FALSE(write({.enrolled = {enrolment_of(second, {})}}));
  EXPECT_FALSE(write({.enrolled = {enrolment_of(second, second.run.id)}}));
  ASSERT_TRUE(write({.enrolled = {enrolment_of(second, first.run.id)}}));
  ASSERT_TRUE(write({.left = {{.owner = key(anna_),
                               .workflow = workflow_,
                               .key = "c1",
                               .run = second.run.id,
                               .at = backing_->now(),
                               .seen = {{"day", "next"}}}}}));
  const auto asked = look_up({.enrolments = {{.owner = key(anna_), .workflow = workflow_}}});
  ASSERT_EQ(asked.enrolments.size(), 1U);
  EXPECT_EQ(load(anna_).enrolments.size(), 1U);
  EXPECT_EQ(asked.enrolments.front().enrolment.run, second.run.id);
  EXPECT_EQ(asked.enrolments.front().enrolment.ended_at, backing_->now());
  EXPECT_EQ(asked.enrolments.front().enrolment.seen.size(), 1U);
}

TEST_P(LaneStoreTest, history_ends_before_the_input) {
  const auto first = backing_->add_event(anna_, "custom.a");
  const auto tick = backing_->make_tick();
  const auto second = backing_->add_event(anna_, "custom.a");
  const auto third = backing_->add_event(anna_, "custom.a");
  backing_->add_event(anna_, "custom.b");
  backing_->add_event(berta_, "custom.a");
  const auto next = backing_->make_tick();
  ASSERT_LT(first.id, second.id);
  const auto count = [&](automation::Before before) {
    return look_up({.histories = {{.owner = key(anna_),
                                   .kind = "custom.a",
                                   .since = backing_->now() - std::chrono::hours{1},
                                   .before = before}}})
        .histories.front()
        .events.size();
  };
  EXPECT_EQ(count({.tick = tick}), 1U);
  EXPECT_EQ(count({.tick = tick, .through = next, .id = second.id}), 2U);
  EXPECT_EQ(count({.tick = tick, .through = next, .id = third.id}), 3U);
  EXPECT_EQ(count({.tick = next}), 3U);
  backing_->merge(berta_, anna_);
  EXPECT_EQ(count({.tick = next}), 4U);
}

TEST_P(LaneStoreTest, claims_a_code_once_and_releases_it) {
  backing_->add_codes({"TEN-1", "TEN-2"});
  const auto claim = [&](const Uuid& id) {
    return look_up({.coupons = {{.owner = key(anna_),
                                 .need = {.claim = id, .run = id, .coupon_set = "ten"}}}})
        .coupons.front()
        .code;
  };
  const Uuid one = Uuid::v7(backing_->now());
  const Uuid other = Uuid::v7(backing_->now());
  const auto code = claim(one);
  ASSERT_TRUE(code);
  EXPECT_EQ(claim(one), code);
  EXPECT_NE(claim(other), code);
  EXPECT_FALSE(claim(Uuid::v7(backing_->now())));
  ASSERT_TRUE(write({.coupons_released = {{backing_->account(), one}}}));
  EXPECT_EQ(backing_->free_codes(), 1);
}

TEST_P(LaneStoreTest, plans_a_message_once_and_withdraws_it) {
  const StoredRun row = run_of(anna_);
  const Uuid id = Uuid::v7(backing_->now());
  ASSERT_TRUE(write({.messages = {message_of(row, id)}}));
  EXPECT_FALSE(write({.messages = {message_of(row, id)}}));
  EXPECT_EQ(backing_->events("message.planned"), 1);
  const Questions withdrawal{.withdrawals = {{.account = backing_->account(),
                                              .need = {.message = id, .reason = "run-ended"}}}};
  EXPECT_EQ(look_up(withdrawal).withdrawn, std::vector<bool>{true});
  EXPECT_EQ(look_up(withdrawal).withdrawn, std::vector<bool>{false});
  EXPECT_EQ(backing_->messages(), Texts{"skipped run-ended " + anna_.to_string()});
  EXPECT_EQ(backing_->events("message.skipped"), 1);
}

TEST_P(LaneStoreTest, finds_triggers_and_objects_unless_they_are_gone) {
  const EventKey key = backing_->add_event(anna_, "custom.a");
  backing_->add_event(berta_, "custom.a");
  const auto account = backing_->account();
  const Answers answers = look_up(
      {.objects = {{.account = account, .type = "product", .id = "none"}},
       .triggers = {{account, key}, {account, {key.received_at - std::chrono::hours{1}, key.id}}}});
  ASSERT_EQ(answers.triggers.size(), 2U);
  EXPECT_EQ(engine::text_at(answers.triggers[0], "kind"), "custom.a");
  EXPECT_EQ(engine::text_at(answers.triggers[0], "contactId"), anna_.to_string());
  EXPECT_FALSE(answers.triggers[1]);
  ASSERT_EQ(answers.objects.size(), 1U);
  EXPECT_FALSE(answers.objects.front());
}

TEST_P(LaneStoreTest, locks_contacts_without_waiting) {
  backing_->lock(anna_);
  std::vector<ContactKey> missing;
  const auto lock = [&] {
    backing_->transact([&](LaneStore& store) -> awaitable<void> {
      missing = co_await store.lock({key(anna_), key(berta_)});
    });
  };
  lock();
  EXPECT_EQ(missing, std::vector{key(anna_)});
  backing_->unlock();
  lock();
  EXPECT_TRUE(missing.empty());
}

TEST_P(LaneStoreTest, keeps_timers_waits_and_counts) {
  const StoredRun row = run_of(anna_);
  const automation::ArmedTimer timer{.group = 3,
                                     .due_at = backing_->now() + std::chrono::hours{1},
                                     .owner = key(anna_),
                                     .run = row.run.id};
  ASSERT_TRUE(write({.timers = {timer}}));
  ASSERT_TRUE(write({.timers = {timer}}));  // the same run at the same time again
  EXPECT_EQ(backing_->timers(), Texts{row.run.id.to_string()});
  const automation::SubjectWait wait{
      .owner = key(anna_), .subject = "shirt", .since = backing_->now(), .run = row.run.id};
  ASSERT_TRUE(write({.waits = {wait}}));
  EXPECT_EQ(backing_->waits(), 1);
  ASSERT_TRUE(write({.waits_over = {wait}}));
  EXPECT_EQ(backing_->waits(), 0);
  const automation::Counter counter{backing_->account(), workflow_, "day", "waiting"};
  ASSERT_TRUE(write({.counts = {{counter, 2}}}));
  ASSERT_TRUE(write({.counts = {{counter, -1}}}));
  EXPECT_EQ(backing_->people("waiting"), 1);
}

TEST_P(LaneStoreTest, appends_events) {
  ASSERT_TRUE(write({.events = {{.account = backing_->account(),
                                 .contact = anna_,
                                 .kind = "workflow.entered",
                                 .occurred_at = backing_->now(),
                                 .payload = "{}"}}}));
  EXPECT_EQ(backing_->events("workflow.entered"), 1);
}

TEST_P(LaneStoreTest, passes_the_past_of_a_merged_contact_on) {
  StoredRun row = run_of(anna_);
  ASSERT_TRUE(write({.ended = {{.run = row, .at = backing_->now()}},
                     .enrolled = {enrolment_of(row, {})},
                     .messages = {message_of(row, Uuid::v7(backing_->now()))}}));
  ASSERT_TRUE(write({.merged = {{key(anna_), berta_}}}));
  EXPECT_TRUE(load(anna_).enrolments.empty());
  EXPECT_TRUE(load(berta_).enrolments.empty());  // they come by an event of the lane
  EXPECT_EQ(backing_->past(), Texts{berta_.to_string() + " " + row.run.id.to_string()});
  EXPECT_EQ(backing_->messages(), Texts{"planned  " + berta_.to_string()});
}

TEST_P(LaneStoreTest, forgets_everything_of_an_erased_contact) {
  const StoredRun row = run_of(anna_);
  ASSERT_TRUE(write({.started = {row},
                     .enrolled = {enrolment_of(row, {})},
                     .messages = {message_of(row, Uuid::v7(backing_->now()))}}));
  ASSERT_TRUE(write({.ended = {{.run = run_of(anna_), .at = backing_->now()}}}));
  ASSERT_TRUE(write({.erased = {key(anna_)}}));
  EXPECT_TRUE(load(anna_).runs.empty());
  EXPECT_TRUE(load(anna_).enrolments.empty());
  EXPECT_TRUE(backing_->past().empty());
  EXPECT_EQ(backing_->messages(), Texts{"skipped erased "});
}

TEST_P(LaneStoreTest, forgets_what_was_passed_on_to_an_erased_contact) {
  for (const auto* kind : {"forward", "adopt", "custom.visit"}) backing_->add_event(anna_, kind);
  backing_->add_event(berta_, "forward");
  ASSERT_TRUE(write({.erased = {key(anna_)}}));
  EXPECT_EQ(backing_->payloads("forward"), 1);
  EXPECT_EQ(backing_->payloads("adopt"), 0);
  EXPECT_EQ(backing_->payloads("custom.visit"), 1);
}

INSTANTIATE_TEST_SUITE_P(Stores, LaneStoreTest, ::testing::Values(&make_memory, &make_postgresql),
                         [](const auto& store) {
                           return store.index == 0 ? "memory" : "postgresql";
                         });

}  // namespace
}  // namespace shopbell::simulator
