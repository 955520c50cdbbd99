#include "resources/workflows/why.h"

#include <gtest/gtest.h>

namespace shopbell::workflows {
namespace {

using engine::Reentry;

constexpr Instant kNow{std::chrono::sys_days{std::chrono::year{2026} / 3 / 10}};

class WhyTest : public ::testing::Test {
 protected:
  WhyTest() {
    workflow_.status = "active";
    workflow_.active_version = 1;
    definition_.trigger.event = "contact.created";
    contact_.email = "eva@bell.example";
  }
  // "gate+", "gate-" or "gate" of each sentence.
  std::string gates() const {
    std::string shown;
    for (const auto& [gate, passed, text] :
         explain(workflow_, &definition_, contact_, marketing_requires_, history_, numbers_, kNow))
      shown += (shown.empty() ? "" : " ") + gate + (!passed ? "" : *passed ? "+" : "-");
    return shown;
  }
  std::string text_of(std::string_view gate) const {
    for (const auto& one :
         explain(workflow_, &definition_, contact_, marketing_requires_, history_, numbers_, kNow))
      if (one.gate == gate) return one.text;
    return "";
  }

  Workflow workflow_;
  engine::Definition definition_;
  contacts::Contact contact_;
  std::string marketing_requires_ = "subscribed";
  History history_;
  Numbers numbers_;
};

TEST_F(WhyTest, a_workflow_that_was_never_published_says_no_more) {
  const auto gates =
      explain(workflow_, nullptr, contact_, marketing_requires_, history_, numbers_, kNow);
  EXPECT_EQ(gates.size(), 1U);
}

TEST_F(WhyTest, a_contact_that_never_entered) {
  EXPECT_EQ(gates(), "status+ entry-");
  numbers_.refused = {{"tooOld", 3}};
  EXPECT_EQ(gates(), "status+ entry- refused");
  workflow_.status = "finished";
  EXPECT_EQ(gates(), "status- entry- refused");
}

TEST_F(WhyTest, consent_matters_only_to_marketing) {
  definition_.nodes.push_back({.id = "mail", .what = engine::Email{}, .edges = {}});
  EXPECT_EQ(gates(), "status+ consent- entry-");
  std::get<engine::Email>(definition_.nodes[0].what).is_marketing = false;
  EXPECT_EQ(gates(), "status+ entry-");
}

TEST_F(WhyTest, consent_is_judged_as_at_the_moment_of_sending) {
  definition_.nodes.push_back({.id = "mail", .what = engine::Email{}, .edges = {}});
  marketing_requires_ = "notUnsubscribed";
  EXPECT_EQ(gates(), "status+ consent+ entry-");
  contact_.email_status = "bounced";
  EXPECT_EQ(text_of("consent"),
            "The contact's e-mail address is marked \"bounced\", so no message is sent to it.");
  contact_.email.reset();
  EXPECT_EQ(text_of("consent"), "The contact has no e-mail address, so no message can be sent.");
}

TEST_F(WhyTest, reentry_follows_the_mode) {
  history_.enrolments = {{.started_at = kNow - std::chrono::days{2}, .ended_at = std::nullopt}};
  EXPECT_EQ(gates(), "status+ entry+ reentry-");
  history_.enrolments[0].ended_at = kNow - std::chrono::days{1};
  EXPECT_EQ(gates(), "status+ entry+ reentry+");
  definition_.reentry.cooldown = Duration{.days = 3};
  EXPECT_EQ(text_of("reentry"),
            "The cooldown lets the contact enter again at 2026-03-11T00:00:00.000Z.");
  definition_.reentry = {.mode = Reentry::Mode::once};
  EXPECT_EQ(gates(), "status+ entry+ reentry-");
  definition_.reentry = {.mode = Reentry::Mode::per_key};
  EXPECT_EQ(gates(), "status+ entry+ reentry");
}

TEST_F(WhyTest, a_run_says_where_it_is_and_what_became_of_its_messages) {
  const Uuid run = Uuid::v7(kNow);
  history_.enrolments = {{.started_at = kNow, .ended_at = std::nullopt}};
  history_.runs = {{.id = run, .state = "open", .node = "day", .node_since = kNow, .due_at = kNow}};
  history_.messages = {{.run = run, .template_name = "hello", .state = "sent"},
                       {.run = Uuid::v7(kNow), .template_name = "other", .state = "failed"}};
  EXPECT_EQ(gates(), "status+ entry+ reentry- run+ message+");
  EXPECT_EQ(text_of("run"),
            "The run waits at the node day since 2026-03-10T00:00:00.000Z until "
            "2026-03-10T00:00:00.000Z at the latest.");
  history_.runs[0].state = "ended";
  history_.runs[0].why = "exit";
  EXPECT_EQ(text_of("run"),
            "The run ended at the node day, because an event of `exitOn` ended it.");
  history_.messages[0].state = "suppressed";
  history_.messages[0].reason = "unsubscribed";
  EXPECT_EQ(text_of("message"), "The message hello was suppressed (unsubscribed).");
}

}  // namespace
}  // namespace shopbell::workflows
