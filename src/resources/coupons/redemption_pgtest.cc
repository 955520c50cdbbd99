#include <chrono>
#include <format>
#include <future>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

#include "base/limits.h"
#include "resources/coupons/claim.h"
#include "resources/coupons/coupon_store.h"
#include "resources/coupons/redemption.h"
#include "resources/coupons/set_rules.h"
#include "resources/store/accounts.h"
#include "testing/database.h"

namespace shopbell::coupons {
namespace {

using namespace std::chrono_literals;
using runtime::run_to_end;
using Codes = std::vector<std::string>;

class RedemptionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    unique_ = create({.alias = "ten", .name = "Ten", .kind = "unique"});
    shared_ = create({.alias = "all", .name = "All", .kind = "shared", .code = "SPRING"});
    pg::Group effect;
    add_codes(effect, account_, unique_, {"A-1", "A-2", "A-3"}, {}, system_clock().now());
    run(api_->commit(std::move(effect), scope_));
  }

  CouponSet create(CouponSet set) {
    pg::Group reads;
    read_new_set(reads, account_, set);
    const pg::Results found = run(api_->run(std::move(reads), scope_));
    pg::Group effect;
    create_set(effect, account_, set, found, system_clock().now());
    run(api_->commit(std::move(effect), scope_));
    return set;
  }

  template <class T>
  T run(boost::asio::awaitable<T> work) {
    return run_to_end(database_.loop, std::move(work));
  }

  template <class Condition>
  void run_while(Condition condition) {
    while (condition()) {
      database_.loop.restart();
      database_.loop.run_for(5ms);
    }
  }

  Uuid contact(const std::string& external_id) {
    const Uuid id = Uuid::v7(system_clock().now());
    admin_.run(std::format(
        "INSERT INTO contact (account_id, contact_id, lane, external_id, created_at, updated_at) "
        "VALUES ({}, '{}', 7, '{}', now(), now())",
        account_, id.to_string(), external_id));
    return id;
  }

  LaneClaim claim_of(const CouponSet& set, const Uuid& by) {
    const Instant now = system_clock().now();
    return {.account = account_,
            .set = set.alias,
            .contact = by,
            .id = Uuid::v7(now),
            .run = Uuid::v7(now)};
  }

  // Repeats a claim that loses a race, as the lanes do. Returns "" if there is no code.
  boost::asio::awaitable<std::string> claim_code(LaneClaim claim) {
    for (int attempt = 1;; ++attempt) {
      pg::Group effect;
      add_lane_claims(effect, {&claim, 1});
      try {
        const pg::Results results = co_await worker_->commit(std::move(effect), {});
        co_return found_lane_claims(results[0], 1)[0].value_or("");
      } catch (const pg::Error& error) {
        if (!error.is_overtaken() || attempt == limits::kWriteAttempts) throw;
      }
    }
  }

  std::string claim(const CouponSet& set, const Uuid& by) {
    return run(claim_code(claim_of(set, by)));
  }

  Redeemables read(const Uuid& purchase, const Codes& codes) {
    pg::Group reads;
    read_redeemable(reads, account_, purchase, codes);
    return found_redeemable(run(api_->run(std::move(reads), scope_)), codes);
  }

  void write(pg::Group effect) {
    if (!effect.empty()) run(api_->commit(std::move(effect), scope_));
  }

  // Redeems codes as the write of a purchase does.
  std::vector<Redemption> buy(const Uuid& purchase, const std::optional<Uuid>& buyer,
                              const Codes& codes) {
    pg::Group effect;
    const Instant now = system_clock().now();
    auto used = redeem(effect,
                       {.account = account_,
                        .purchase = purchase,
                        .contact = buyer,
                        .lane = 7,
                        .at = now,
                        .now = now},
                       read(purchase, codes));
    write(std::move(effect));
    return used;
  }

  std::string counters(const std::string& alias) {
    pg::Group reads;
    read_set(reads, account_, alias);
    const auto set = found_set(run(api_->run(std::move(reads), scope_))[0]);
    return std::format("{} {} {} {}", set->total.value_or(-1), set->available.value_or(-1),
                       set->assigned, set->redeemed);
  }

  static Uuid purchase() { return Uuid::v7(system_clock().now()); }

  shopbell::testing::TestDatabase database_;
  pg::Script admin_{database_.admin_url()};
  std::unique_ptr<pg::Pool> worker_ = database_.pool(database_.worker_url());
  std::unique_ptr<pg::Pool> api_ = database_.pool(database_.api_url());
  std::int64_t account_ =
      run_to_end(database_.loop,
                 store::create_account(*worker_, {}, {.name = "Bell", .currency = "EUR"},
                                       system_clock().now()))
          .live;
  pg::Scope scope_{.account = account_};
  CouponSet unique_;
  CouponSet shared_;
};

TEST_F(RedemptionTest, ignores_case_and_counts_a_code_once) {
  const Uuid ada = contact("ada");
  EXPECT_EQ(claim(unique_, ada), "A-1");
  const Uuid order = purchase();
  const auto used = buy(order, ada, {"a-1", "A-1", "NOT-OURS"});
  ASSERT_EQ(used.size(), 1U);
  EXPECT_EQ(used[0].code, "A-1");
  EXPECT_EQ(used[0].set_alias, "ten");
  EXPECT_FALSE(used[0].by_other);
  EXPECT_EQ(counters("ten"), "3 2 1 1");
  EXPECT_TRUE(buy(order, ada, {"A-1"}).empty());       // repeats the same purchase
  EXPECT_TRUE(buy(purchase(), ada, {"A-1"}).empty());  // the code is already redeemed
  EXPECT_EQ(counters("ten"), "3 2 1 1");
  const auto events =
      admin_.query("SELECT contact_id, payload FROM event WHERE kind = 'coupon.redeemed'");
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].uuid("contact_id"), ada);
  EXPECT_TRUE(events[0].text("payload").contains(R"("code": "A-1")"));
  EXPECT_TRUE(events[0].text("payload").contains(order.to_string()));
}

TEST_F(RedemptionTest, marks_a_code_assigned_to_another_contact) {
  const Uuid ada = contact("ada");
  const Uuid ben = contact("ben");
  claim(unique_, ada);
  claim(unique_, ada);
  EXPECT_TRUE(buy(purchase(), ben, {"A-1"})[0].by_other);
  EXPECT_FALSE(buy(purchase(), std::nullopt, {"A-2"})[0].by_other);  // the buyer is unknown
  EXPECT_FALSE(buy(purchase(), ben, {"A-3"})[0].by_other);           // nobody was assigned A-3
  EXPECT_EQ(counters("ten"), "3 0 2 3");
  EXPECT_EQ(claim(unique_, ben), "");  // redeemed codes are not assigned
  const auto codes = run(list_codes(*api_, scope_, unique_.id, std::nullopt, true, 10));
  ASSERT_EQ(codes.size(), 3U);
  EXPECT_EQ(codes[0].state, "redeemed");
  EXPECT_EQ(codes[0].by_other, true);
  EXPECT_TRUE(codes[0].redeemed_at);
}

TEST_F(RedemptionTest, of_a_shared_code_is_counted_for_each_purchase) {
  const Uuid ada = contact("ada");
  EXPECT_EQ(claim(shared_, ada), "SPRING");
  const Uuid first = purchase();
  EXPECT_EQ(buy(first, ada, {"spring"}).size(), 1U);
  EXPECT_EQ(buy(purchase(), contact("ben"), {"Spring"}).size(), 1U);
  EXPECT_EQ(counters("all"), "-1 -1 1 2");
  EXPECT_TRUE(buy(first, ada, {"SPRING"}).empty());
  EXPECT_EQ(counters("all"), "-1 -1 1 2");
}

TEST_F(RedemptionTest, is_undone_when_the_purchase_no_longer_uses_it) {
  const Uuid ada = contact("ada");
  EXPECT_EQ(claim(unique_, ada), "A-1");
  const Uuid order = purchase();
  buy(order, ada, {"A-1", "A-2", "SPRING"});
  EXPECT_EQ(counters("ten"), "3 1 1 2");
  EXPECT_EQ(counters("all"), "-1 -1 0 1");
  EXPECT_EQ(buy(order, ada, {"A-2", "A-3"}).size(), 1U);  // only A-3 is new
  EXPECT_EQ(counters("ten"), "3 0 1 2");
  EXPECT_EQ(counters("all"), "-1 -1 0 0");
  buy(order, ada, {});  // undoes all redemptions
  EXPECT_EQ(counters("ten"), "3 2 1 0");
  EXPECT_TRUE(admin_.query("SELECT FROM coupon_redemption").empty());
}

TEST_F(RedemptionTest, conflicts_with_a_concurrent_claim_or_redemption) {
  const Uuid ada = contact("ada");
  const Instant now = system_clock().now();
  const auto decide = [&](const Uuid& order) {
    pg::Group effect;
    redeem(
        effect,
        {.account = account_, .purchase = order, .contact = ada, .lane = 7, .at = now, .now = now},
        read(order, {"A-1"}));
    return effect;
  };
  const auto expect_conflict = [&](pg::Group effect) {
    try {
      write(std::move(effect));
      ADD_FAILURE() << "the write succeeded";
    } catch (const pg::Error& error) {
      EXPECT_TRUE(error.is_overtaken()) << error.what();
    }
  };
  pg::Group first = decide(purchase());
  pg::Group second = decide(purchase());
  pg::Group third = decide(purchase());
  claim(unique_, ada);  // assigns A-1 after decide() read it
  expect_conflict(std::move(first));
  EXPECT_EQ(buy(purchase(), ada, {"A-1"}).size(), 1U);
  expect_conflict(std::move(second));
  expect_conflict(std::move(third));
  EXPECT_EQ(counters("ten"), "3 2 1 1");
}

TEST_F(RedemptionTest, a_repeated_claim_of_the_last_code_never_returns_empty) {
  const Uuid ada = contact("ada");
  claim(unique_, ada);
  claim(unique_, ada);
  const LaneClaim last = claim_of(unique_, ada);
  // The claim has found no earlier attempt and waits for its contact's lock. Meanwhile the same
  // claim commits on another connection.
  pg::Script holder{database_.admin_url()};
  holder.run("BEGIN; SELECT FROM contact WHERE external_id = 'ada' FOR UPDATE");
  auto second = boost::asio::co_spawn(database_.loop, claim_code(last), boost::asio::use_future);
  run_while([&] { return admin_.query("SELECT FROM pg_locks WHERE NOT granted").size() == 0; });
  admin_.run(std::format("SELECT claim_coupon({}, '{}', '{}', '{}', NULL)", account_,
                         unique_.id.to_string(), contact("ben").to_string(), last.id.to_string()));
  holder.run("COMMIT");
  run_while([&] { return second.wait_for(0s) != std::future_status::ready; });
  EXPECT_EQ(second.get(), "A-3");
  EXPECT_EQ(counters("ten"), "3 0 3 0");
}

TEST_F(RedemptionTest, moves_with_a_merged_contact_and_outlives_an_erased_one) {
  const Uuid ada = contact("ada");
  const Uuid ben = contact("ben");
  claim(unique_, ada);
  buy(purchase(), ada, {"A-1"});
  pg::Group effect;
  move_coupons(effect, account_, ada, ben);
  write(std::move(effect));
  EXPECT_EQ(admin_
                .query("SELECT FROM coupon_redemption r JOIN coupon_claim c USING (contact_id) "
                       "WHERE contact_id = '" +
                       ben.to_string() + "'")
                .size(),
            1U);
  admin_.run("DELETE FROM contact WHERE contact_id = '" + ben.to_string() + "'");
  EXPECT_EQ(counters("ten"), "3 2 1 1");
  EXPECT_EQ(admin_.query("SELECT FROM coupon_redemption WHERE contact_id IS NULL").size(), 1U);
}

}  // namespace
}  // namespace shopbell::coupons
