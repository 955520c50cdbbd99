#include <gtest/gtest.h>

#include "base/problem.h"
#include "resources/store/accounts.h"
#include "testing/database.h"

namespace shopbell::store {
namespace {

using runtime::run_to_end;

const NewAccount kBell{.name = "Bell & Töchter",
                       .url = "https://bell.example",
                       .time_zone = "Europe/Vienna",
                       .currency = "EUR",
                       .locale = "de-AT",
                       .country = "AT"};

class AccountsTest : public ::testing::Test {
 protected:
  CreatedAccount create(const NewAccount& account) {
    return run_to_end(database_.loop, create_account(*worker_, {}, account, system_clock().now()));
  }

  shopbell::testing::TestDatabase database_;
  std::unique_ptr<pg::Pool> worker_ = database_.pool(database_.worker_url());
  std::unique_ptr<pg::Pool> api_ = database_.pool(database_.api_url());
};

TEST_F(AccountsTest, a_store_is_read_as_it_was_created) {
  const CreatedAccount created = create(kBell);
  const Store store = run_to_end(database_.loop, get_store(*api_, {.account = created.live}));
  EXPECT_EQ(store.name, kBell.name);
  EXPECT_EQ(store.url, kBell.url);
  EXPECT_EQ(store.time_zone, kBell.time_zone);
  EXPECT_EQ(store.country, kBell.country);
  EXPECT_EQ(store.usage.contacts, 0);
  const Store test = run_to_end(database_.loop, get_store(*api_, {.account = created.test}));
  EXPECT_NE(test.id, store.id);
}

TEST_F(AccountsTest, an_unknown_account_has_no_store) {
  EXPECT_THROW(run_to_end(database_.loop, get_store(*api_, {.account = 1})), Problem);
}

// Row-level security hides other accounts' rows even from a query without an account condition.
TEST_F(AccountsTest, a_query_without_its_account_condition_sees_nothing_of_another_account) {
  const CreatedAccount bell = create(kBell);
  create({.name = "Another", .currency = "USD"});
  constexpr auto kTime = limits::kQueryTimeout;
  static constexpr pg::Query kUnfiltered{"test.unfiltered", kTime,
                                         "SELECT account_id FROM account"};
  static constexpr pg::Query kUnfilteredUsage{"test.unfiltered_usage", kTime,
                                              "SELECT account_id FROM store_usage"};
  for (const auto* query : {&kUnfiltered, &kUnfilteredUsage}) {
    const pg::Result own = run_to_end(database_.loop, api_->query({.account = bell.live}, *query));
    ASSERT_EQ(own.size(), 1U);
    EXPECT_EQ(own[0].integer("account_id"), bell.live);
    const pg::Result nobody = run_to_end(database_.loop, api_->query({.account = 1}, *query));
    EXPECT_TRUE(nobody.empty());
    const pg::Result all = run_to_end(database_.loop, worker_->query({}, *query));
    EXPECT_EQ(all.size(), 4U);  // the worker role sees all accounts: two live, two test
  }
}

TEST_F(AccountsTest, no_service_role_can_alter_anything) {
  create(kBell);
  for (const auto& url : {database_.api_url(), database_.worker_url(), database_.reader_url()}) {
    pg::Script service{url};
    for (const auto* attempt :
         {"ALTER TABLE account DISABLE ROW LEVEL SECURITY", "ALTER TABLE account ADD COLUMN x int",
          "DROP TABLE api_key", "DROP POLICY own_account ON account", "CREATE TABLE mine (n int)",
          "TRUNCATE account", "DELETE FROM account", "UPDATE account SET account_id = 1",
          "UPDATE api_key SET hash = hash", "SET ROLE shopbell_owner",
          "ALTER ROLE shopbell_api SUPERUSER",
          "CREATE FUNCTION f() RETURNS int LANGUAGE sql RETURN 1", "DELETE FROM schema_migration",
          "CREATE SCHEMA mine", "CREATE TEMP TABLE mine (n int)"}) {
      EXPECT_THROW(service.run(attempt), pg::Error) << url.substr(13, 15) << ": " << attempt;
    }
  }
}

TEST(NewAccount, that_is_invalid_gets_an_error_message) {
  EXPECT_EQ(fault_of(kBell), "");
  const auto with = [](auto change) {
    NewAccount account = kBell;
    change(account);
    return fault_of(account);
  };
  EXPECT_NE(with([](NewAccount& a) { a.name = ""; }), "");
  EXPECT_NE(with([](NewAccount& a) { a.name = "two\nlines"; }), "");
  EXPECT_NE(with([](NewAccount& a) { a.name = "\xff"; }), "");
  EXPECT_NE(with([](NewAccount& a) { a.url = "ftp://x"; }), "");
  EXPECT_NE(with([](NewAccount& a) { a.url = "https://user@x"; }), "");
  EXPECT_NE(with([](NewAccount& a) { a.currency = "euro"; }), "");
  EXPECT_NE(with([](NewAccount& a) { a.time_zone = "Mars"; }), "");
  EXPECT_NE(with([](NewAccount& a) { a.locale = "!"; }), "");
  EXPECT_NE(with([](NewAccount& a) { a.country = "ZZZ"; }), "");
}

}  // namespace
}  // namespace shopbell::store
