#include <format>

#include <gtest/gtest.h>

#include "resources/workflows/interest.h"
#include "resources/workflows/known_types.h"
#include "resources/workflows/workflow_store.h"
#include "testing/database.h"

namespace shopbell::workflows {
namespace {

using runtime::run_to_end;

class InterestTest : public ::testing::Test {
 protected:
  InterestTest() {
    pg::Script owner{database_.owner_url()};
    owner.run(R"(INSERT INTO account (account_id, id, name, time_zone, currency, locale)
      SELECT n, gen_random_uuid(), 'Bell', 'UTC', 'EUR', 'en' FROM generate_series(1, 2) n)");
    owner.run(
        R"(INSERT INTO integration (account_id, integration_id, name, events_enabled, created_at, updated_at)
      VALUES (1, '019a8412-7c00-7abc-8def-000000000001', 'Shop', true, now(), now()))");
    owner.run(
        R"(INSERT INTO event_type (account_id, event_type_id, integration_id, name, direction, alias, fields,
                                         additional_members, created_at, updated_at)
      VALUES (1, gen_random_uuid(), '019a8412-7c00-7abc-8def-000000000001', 'Cart', 'receive', 'cart',
              '[{"id":"total","type":"decimal"}]', 'drop', now(), now()))");
  }

  void raise(std::int64_t account, std::set<std::string> kinds) {
    pg::Group effect;
    raise_interest(effect, account, std::move(kinds));
    run_to_end(database_.loop, api_->run(std::move(effect), {.account = account}));
  }

  // Returns "version: kinds" of the account's row, without the internal ones.
  std::string interest(std::int64_t account) {
    pg::Script owner{database_.owner_url()};
    return owner
        .query(std::format(
            "SELECT version || ': ' || (SELECT string_agg(k, ' ' ORDER BY k) FROM unnest(kinds) k "
            "WHERE k LIKE '%.%' AND k <> 'contact.deleted') AS shown FROM engine_interest WHERE "
            "account_id = {}",
            account))[0]
        .text("shown");
  }

  shopbell::testing::TestDatabase database_;
  std::unique_ptr<pg::Pool> api_ = database_.pool(database_.api_url());
};

TEST_F(InterestTest, adds_kinds_and_raises_the_version) {
  raise(1, {"purchase.created", "custom.cart"});
  raise(2, {"contact.created"});
  EXPECT_EQ(interest(1), "1: custom.cart purchase.created");
  raise(1, {"purchase.created", "contact.updated"});
  EXPECT_EQ(interest(1), "2: contact.updated custom.cart purchase.created");
  raise(1, {});
  EXPECT_EQ(interest(1), "3: contact.updated custom.cart purchase.created");
  EXPECT_EQ(interest(2), "1: contact.created");
}

TEST_F(InterestTest, includes_internal_kinds) {
  raise(1, {});
  pg::Script owner{database_.owner_url()};
  const pg::Result found =
      owner.query("SELECT 'run-command' = ANY (kinds) AS has FROM engine_interest");
  EXPECT_TRUE(found[0].boolean("has"));
}

TEST_F(InterestTest, finds_the_types_of_an_account) {
  pg::Group reads;
  read_types(reads, 1);
  const pg::Results found = run_to_end(database_.loop, api_->run(std::move(reads), {.account = 1}));
  const engine::KnownTypes types = known_types(found_types(found));
  const auto total = engine::member_at(types.events.at("custom.cart"), "data.total");
  ASSERT_TRUE(total);
  EXPECT_EQ(total->kind, ValueType::Kind::number);
}

}  // namespace
}  // namespace shopbell::workflows
