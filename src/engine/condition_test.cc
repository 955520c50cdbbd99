// The scenarios test what each operator means; this tests the laws of the three-valued logic.
#include "engine/condition.h"

#include <format>

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace shopbell::engine {
namespace {

ReferenceTypes types() {
  return {.contact = object_of({}, true),
          .store = object_of({}, true),
          .trigger = {},
          .run_item = {},
          .variables = {},
          .event = {},
          .item = {}};
}

Truth judged(const std::string& condition, const Facts& facts = {},
             std::vector<Need>* needs = nullptr) {
  const Data source{condition};
  const Condition compiled = compile_condition(*source.root(), types(), {});
  View view;
  view.now = *parse_rfc3339("2026-03-02T10:00:00Z");
  view.zone = zone_of("UTC", "UTC");
  view.contact = Data{R"({"yes":true,"no":false})"};
  view.facts = &facts;
  view.needs = needs;
  return judge(compiled, view);
}

std::string leaf(Truth truth) {
  constexpr std::array<std::string_view, 3> kMembers{"no", "absent", "yes"};
  return std::format(R"({{"value":"contact.{}","op":"eq","to":true}})",
                     kMembers.at(static_cast<std::size_t>(truth)));
}

std::string negated(const std::string& condition) {
  return std::format(R"({{"not":{}}})", condition);
}

std::string joined(std::string_view how, const std::vector<std::string>& parts) {
  std::string list;
  for (const auto& part : parts) list += (list.empty() ? "" : ",") + part;
  return std::format(R"({{"{}":[{}]}})", how, list);
}

Truth any_truth() { return static_cast<Truth>(*rc::gen::inRange(0, 3)); }

TEST(Condition, leaves_have_three_values) {
  for (const Truth truth : {Truth::no, Truth::unknown, Truth::yes}) {
    EXPECT_EQ(judged(leaf(truth)), truth);
    EXPECT_EQ(judged(negated(leaf(truth))), !truth);
    EXPECT_EQ(judged(negated(negated(leaf(truth)))), truth);
  }
}

TEST(Condition, all_is_the_least_and_any_the_greatest) {
  rc::check([] {
    std::vector<Truth> truths;
    const int size = *rc::gen::inRange(1, 6);
    for (int i = 0; i < size; ++i) truths.push_back(any_truth());
    std::vector<std::string> parts;
    std::vector<std::string> opposites;
    for (const Truth truth : truths) {
      parts.push_back(leaf(truth));
      opposites.push_back(negated(leaf(truth)));
    }
    RC_ASSERT(judged(joined("all", parts)) == std::ranges::min(truths));
    RC_ASSERT(judged(joined("any", parts)) == std::ranges::max(truths));
    RC_ASSERT(judged(negated(joined("all", parts))) == judged(joined("any", opposites)));
  });
}

TEST(Condition, the_order_of_two_values_is_antisymmetric) {
  const auto any_value = []() -> Value {
    const auto number = *rc::gen::inRange(-3, 4);
    switch (*rc::gen::inRange(0, 6)) {
      case 0:
        return Missing{};
      case 1:
        return number > 0;
      case 2:
        return Decimal::from_integer(number);
      case 3:
        return std::to_string(number);
      case 4:
        return Date{std::chrono::sys_days{std::chrono::days{20'000 + number}}};
      default:
        return Instant{std::chrono::days{20'000} + std::chrono::hours{9 * number}};
    }
  };
  rc::check([&] {
    const Value left = any_value();
    const Value right = any_value();
    const Comparing how{.zone = zone_of("UTC", "UTC"), .untyped = *rc::gen::arbitrary<bool>()};
    const auto one = order_of(left, right, how);
    const auto other = order_of(right, left, how);
    RC_ASSERT(one.has_value() == other.has_value());
    if (!one) return;
    RC_ASSERT((*one > 0) == (*other < 0));
    RC_ASSERT((*one == 0) == (*other == 0));
    RC_ASSERT_FALSE(is_missing(left) || is_missing(right));
  });
}

TEST(Condition, a_history_that_is_not_loaded_becomes_a_need) {
  const std::string did = R"({"did":"purchase.created","within":"P30D"})";
  std::vector<Need> needs;
  EXPECT_EQ(judged(did, {}, &needs), Truth::unknown);
  ASSERT_EQ(needs.size(), 1U);
  const auto& need = std::get<HistoryNeed>(needs.front());
  EXPECT_EQ(need.kind, "purchase.created");
  EXPECT_EQ(need.since, *parse_rfc3339("2026-01-31T10:00:00Z"));
  Facts facts;
  facts.histories["purchase.created"].since = need.since + std::chrono::seconds{1};
  needs.clear();
  EXPECT_EQ(judged(did, facts, &needs), Truth::unknown);
  EXPECT_EQ(needs.size(), 1U);
  facts.histories["purchase.created"].since = need.since;
  needs.clear();
  EXPECT_EQ(judged(did, facts, &needs), Truth::no);
  EXPECT_TRUE(needs.empty());
}

TEST(Condition, the_kinds_of_past_events_are_found_at_any_depth) {
  const Data source{R"({"all":[{"did":"a.b"},{"not":{"any":[{"did":"c.d"},)"
                    R"({"some":"contact.list","where":{"did":"e.f"}}]}}]})"};
  std::set<std::string> kinds;
  add_history_kinds(compile_condition(*source.root(), types(), {}), kinds);
  EXPECT_EQ(kinds, (std::set<std::string>{"a.b", "c.d", "e.f"}));
}

}  // namespace
}  // namespace shopbell::engine
