#include "engine/send_rules.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace shopbell::engine {
namespace {

using Kind = SendVerdict::Kind;

Instant time_at(std::string_view text) { return *parse_rfc3339(text); }

SendRequest request_at(Instant planned, Instant now) {
  return {.planned_at = planned,
          .now = now,
          .contact_zone = zone_of("Europe/Vienna", "UTC"),
          .store_zone = zone_of("UTC", "UTC"),
          .caps = {},
          .sent = {}};
}

SendWindow window(int from, int to) {
  SendWindow window;
  window.from = std::chrono::minutes{from};
  window.to = std::chrono::minutes{to};
  return window;
}

TEST(SendRules, without_rules_a_message_is_sent_at_once) {
  const Instant now = time_at("2026-03-02T03:00:00Z");
  EXPECT_EQ(judge_send({}, request_at(now, now)).kind, Kind::send);
}

TEST(SendRules, a_message_that_is_claimed_too_late_is_dropped) {
  const Instant planned = time_at("2026-03-02T03:00:00Z");
  EXPECT_EQ(judge_send({}, request_at(planned, planned + std::chrono::days{1})).kind, Kind::send);
  const auto verdict =
      judge_send({}, request_at(planned, planned + std::chrono::days{1} + std::chrono::seconds{1}));
  EXPECT_EQ(verdict.kind, Kind::skip);
  EXPECT_EQ(verdict.reason, "late");
}

TEST(SendRules, of_two_limits_of_lateness_the_shorter_one_counts) {
  SendRules rules{.quiet_hours = window(22 * 60, 8 * 60), .send_window = window(9 * 60, 17 * 60)};
  const Instant planned = time_at("2026-03-02T20:00:00Z");
  EXPECT_EQ(judge_send(rules, request_at(planned, planned)).kind, Kind::wait);
  rules.quiet_hours->skip_if_later_than = Duration{.seconds = 7200};
  EXPECT_EQ(judge_send(rules, request_at(planned, planned)).reason, "late");
  rules.send_window->skip_if_later_than = Duration{.days = 3};
  EXPECT_EQ(judge_send(rules, request_at(planned, planned)).reason, "late");
}

TEST(SendRules, quiet_hours_of_the_whole_day_drop_the_message) {
  const SendRules rules{.quiet_hours = window(0, 0), .send_window = {}};
  const Instant planned = time_at("2026-03-02T20:00:00Z");
  EXPECT_EQ(judge_send(rules, request_at(planned, planned)).reason, "late");
}

TEST(SendRules, a_cap_without_messages_left_skips_or_waits) {
  const Instant now = time_at("2026-03-02T10:00:00Z");
  SendRequest request = request_at(now, now);
  request.caps = {{.messages = 2, .span = std::chrono::hours{4}}};
  request.sent = {now - std::chrono::hours{3}};
  EXPECT_EQ(judge_send({}, request).kind, Kind::send);
  request.sent.push_back(now - std::chrono::hours{1});
  EXPECT_EQ(judge_send({}, request).at, now + std::chrono::hours{1});
  request.skips_at_cap = true;
  EXPECT_EQ(judge_send({}, request).reason, "cap");
}

TEST(SendRules, a_message_that_waits_may_be_sent_when_asked_again) {
  rc::check([] {
    const auto minutes = [] { return *rc::gen::inRange(0, 1440); };
    SendRules rules;
    if (*rc::gen::arbitrary<bool>()) rules.quiet_hours = window(minutes(), minutes());
    if (*rc::gen::arbitrary<bool>()) rules.send_window = window(minutes(), minutes());
    for (auto* one : {&rules.quiet_hours, &rules.send_window})
      if (*one) (*one)->weekdays = *rc::gen::inRange<Weekdays>(0, 128);
    const Instant planned{std::chrono::seconds{*rc::gen::inRange(1'577'836'800, 1'893'456'000)}};
    const SendVerdict verdict = judge_send(rules, request_at(planned, planned));
    RC_CLASSIFY(verdict.kind == Kind::wait);
    if (verdict.kind != Kind::wait) return;
    RC_ASSERT(verdict.at > planned);
    RC_ASSERT(verdict.at <= planned + std::chrono::days{1});
    RC_ASSERT(judge_send(rules, request_at(planned, verdict.at)).kind == Kind::send);
    const Instant earlier = verdict.at - std::chrono::seconds{1};
    RC_ASSERT(judge_send(rules, request_at(planned, earlier)).kind != Kind::send);
  });
}

}  // namespace
}  // namespace shopbell::engine
