#include <filesystem>
#include <format>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

#include "base/problem.h"
#include "resources/keys/key_check.h"
#include "resources/store/accounts.h"
#include "testing/database.h"

namespace shopbell::keys {
namespace {

using namespace std::chrono_literals;
using runtime::run_to_end;

class KeyCheckTest : public ::testing::Test {
 protected:
  static constexpr const char* kAddress = "192.0.2.7";

  Token create(std::int64_t account, std::optional<Instant> expires_at = {}) {
    auto token =
        run_to_end(database_.loop,
                   create_key(*worker_, {}, keyring_, {account, "test", {"store:read"}, expires_at},
                              system_clock().now()));
    EXPECT_TRUE(token);
    return *token;
  }

  operations::Caller identify(const std::string& token, const std::string& address = kAddress) {
    return run_to_end(database_.loop, check_.identify(token, address, pg::Steady::now() + 5s));
  }

  std::string refusal(const std::string& token, const std::string& address = kAddress) {
    try {
      identify(token, address);
    } catch (const Problem& problem) {
      return kind_of(problem.code()).name;
    }
    return "accepted";
  }

  shopbell::testing::TestDatabase database_;
  keyring::Keyring keyring_ = database_.keyring();
  std::unique_ptr<pg::Pool> worker_ = database_.pool(database_.worker_url());
  std::unique_ptr<pg::Pool> api_ = database_.pool(database_.api_url());
  rates::RateLimits limits_{database_.metrics};
  rates::KeyUse use_;
  KeyCheck check_{*api_, keyring_, limits_, use_, database_.metrics};
  store::CreatedAccount account_ = run_to_end(
      database_.loop, store::create_account(*worker_, {}, {.name = "Bell", .currency = "EUR"},
                                            system_clock().now()));
};

TEST_F(KeyCheckTest, a_key_authenticates_its_own_account_only) {
  const operations::Caller live = identify(create(account_.live).text);
  EXPECT_EQ(live.account, account_.live);
  EXPECT_TRUE(live.may("store:read"));
  EXPECT_FALSE(live.may("store:write"));
  const Token test = create(account_.test);
  EXPECT_TRUE(test.text.starts_with("sb_test_"));
  EXPECT_EQ(identify(test.text).account, account_.test);
}

TEST_F(KeyCheckTest, malformed_unknown_and_expired_keys_are_refused) {
  EXPECT_EQ(refusal(""), "unauthorized");
  EXPECT_EQ(refusal("sb_live_x"), "unauthorized");
  EXPECT_EQ(refusal(Token::create(Mode::live).text), "unauthorized");
  EXPECT_EQ(refusal(create(account_.live, system_clock().now() - 1s).text), "key-expired");
}

TEST_F(KeyCheckTest, failed_authentications_are_counted_by_reason) {
  const auto expect_failures = [&](std::string_view reason, int count) {
    const std::string line =
        std::format("shopbell_authentication_failures_total{{reason=\"{}\"}} {}\n", reason, count);
    EXPECT_TRUE(database_.metrics.text().contains(line)) << line;
  };
  for (const auto* reason : {"unknown", "revoked", "expired", "address"})
    expect_failures(reason, 0);
  refusal("sb_live_x");
  refusal(Token::create(Mode::live).text);
  expect_failures("unknown", 2);
  refusal(create(account_.live, system_clock().now() - 1s).text);
  expect_failures("expired", 1);
  const Token token = create(account_.live);
  pg::Script{database_.admin_url()}.run("UPDATE api_key SET allowed_addresses = '{192.0.2.8}'");
  EXPECT_EQ(refusal(token.text), "unauthorized");
  expect_failures("address", 1);
  const Token other = create(account_.live);
  pg::Script{database_.admin_url()}.run("UPDATE api_key SET revoked_at = now()");
  EXPECT_EQ(refusal(other.text), "key-revoked");
  EXPECT_EQ(refusal(other.text), "key-revoked");  // the cache has the revoked key
  expect_failures("revoked", 2);
  expect_failures("unknown", 2);
}

TEST_F(KeyCheckTest, a_revoked_key_stops_working_within_a_second) {
  const Token token = create(account_.live);
  EXPECT_EQ(refusal(token.text), "accepted");
  pg::Script{database_.admin_url()}.run("UPDATE api_key SET revoked_at = now()");
  const auto revoked_at = pg::Steady::now();
  while (refusal(token.text) == "accepted") {
    ASSERT_LT(pg::Steady::now() - revoked_at, 1s);
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_EQ(refusal(token.text), "key-revoked");
}

TEST_F(KeyCheckTest, one_request_refreshes_a_key_while_others_use_the_cache) {
  auto now = pg::Steady::now();
  KeyCheck check{*api_, keyring_, limits_, use_, database_.metrics, {}, [&] { return now; }};
  const auto identified = [&](const std::string& token) {
    return boost::asio::co_spawn(database_.loop,
                                 check.identify(token, kAddress, pg::Steady::now() + 30s),
                                 boost::asio::use_future);
  };
  const auto account_of = [&](std::future<operations::Caller> caller) {
    database_.loop.restart();
    while (caller.wait_for(0s) != std::future_status::ready) database_.loop.run_one_for(1s);
    return caller.get().account;
  };
  const Token token = create(account_.live);
  EXPECT_EQ(account_of(identified(token.text)), account_.live);
  now += limits::kKeyCache * 3 / 4;
  pg::Script slow{database_.admin_url()};
  slow.run("BEGIN; LOCK TABLE api_key");
  auto refreshes = identified(token.text);  // cannot finish before the lock is released
  auto uses_cache = identified(token.text);
  EXPECT_EQ(account_of(std::move(uses_cache)), account_.live);
  EXPECT_EQ(refreshes.wait_for(0s), std::future_status::timeout);
  slow.run("COMMIT");
  EXPECT_EQ(account_of(std::move(refreshes)), account_.live);
}

TEST_F(KeyCheckTest, a_key_of_a_suspended_account_is_refused) {
  const Token token = create(account_.live);
  pg::Script{database_.admin_url()}.run("UPDATE account SET state = 'suspended'");
  EXPECT_EQ(refusal(token.text), "account-suspended");
}

TEST_F(KeyCheckTest, a_caller_has_the_rates_of_its_account_and_its_key) {
  const operations::Caller usual = identify(create(account_.live).text);
  EXPECT_EQ(usual.account_rate, (rates::Rate{100, 200}));
  EXPECT_FALSE(usual.key_rate);
  pg::Script admin{database_.admin_url()};
  admin.run("UPDATE account SET requests_per_second = 500");
  EXPECT_EQ(identify(create(account_.live).text).account_rate, (rates::Rate{500, 1000}));
  admin.run("UPDATE account SET requests_per_second = NULL, request_burst = 300");
  const Token token = create(account_.live);
  admin.run("UPDATE api_key SET requests_per_second = 10, request_burst = 15");
  const operations::Caller own = identify(token.text);
  EXPECT_EQ(own.account_rate, (rates::Rate{100, 300}));
  EXPECT_EQ(own.key_rate, (rates::Rate{10, 15}));
}

TEST_F(KeyCheckTest, a_key_works_from_its_addresses_only) {
  const Token token = create(account_.live);
  pg::Script{database_.admin_url()}.run(
      "UPDATE api_key SET allowed_addresses = '{192.0.2.0/28,2001:db8::/32}'");
  EXPECT_EQ(refusal(token.text), "accepted");
  EXPECT_EQ(refusal(token.text, "2001:db8::17"), "accepted");
  EXPECT_EQ(refusal(token.text, "192.0.2.16"), "unauthorized");
  EXPECT_EQ(refusal(token.text, ""), "unauthorized");
  EXPECT_EQ(refusal(token.text), "accepted");  // the cached key is checked against each address
}

TEST_F(KeyCheckTest, an_address_that_guesses_is_throttled_without_a_query) {
  const Token good = create(account_.live);
  const Token unseen = create(account_.live);
  EXPECT_EQ(refusal(good.text), "accepted");
  int refused = 0;
  while (refusal(Token::create(Mode::live).text) == "unauthorized") ASSERT_LT(++refused, 100);
  EXPECT_GE(refused, limits::kFailuresBurst);
  EXPECT_EQ(refusal("malformed"), "quota-exceeded");
  api_ = nullptr;  // from here on a query would crash
  try {
    identify(unseen.text);
    FAIL();
  } catch (const Problem& problem) {
    EXPECT_EQ(problem.code(), Code::quota_exceeded);
    EXPECT_EQ(problem.headers().front().first, "Retry-After");
    EXPECT_EQ(problem.members().front().second, R"(["authentication"])");
  }
}

TEST_F(KeyCheckTest, a_cached_key_works_from_a_throttled_address) {
  const Token good = create(account_.live);
  EXPECT_EQ(refusal(good.text), "accepted");
  for (int i = 0; i < 200; ++i) refusal("malformed");
  EXPECT_EQ(refusal("malformed"), "quota-exceeded");
  EXPECT_EQ(refusal(good.text), "accepted");
  EXPECT_EQ(refusal(good.text, "192.0.2.8"), "accepted");
  for (int i = 0; i < 200; ++i) limits_.failed(kAddress, pg::Steady::now());
  std::this_thread::sleep_for(limits::kKeyCache);  // lets the cached key expire
  EXPECT_EQ(refusal("malformed"), "quota-exceeded");
  EXPECT_EQ(refusal(good.text), "accepted");
}

TEST_F(KeyCheckTest, refused_addresses_and_malformed_keys_count_as_failures) {
  const Token token = create(account_.live);
  pg::Script{database_.admin_url()}.run("UPDATE api_key SET allowed_addresses = '{198.51.100.1}'");
  for (int i = 0; i < 200; ++i) refusal(token.text);
  EXPECT_EQ(refusal(token.text), "quota-exceeded");
  EXPECT_EQ(refusal("malformed"), "quota-exceeded");
  EXPECT_EQ(refusal(token.text, "198.51.100.1"), "accepted");
}

// A keyring with a second key in force.
class RotatedKeyringTest : public KeyCheckTest {
 protected:
  void SetUp() override {
    const auto file = folder_ / "keyring";
    std::filesystem::create_directory(folder_);
    keyring::Keyring::create(file, system_clock().now() - 48h);
    before_ = keyring::Keyring::load(file);
    keyring::Keyring::rotate(file, system_clock().now() - 24h);
    after_ = keyring::Keyring::load(file);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Token create_with(const keyring::Keyring& ring) {
    return run_to_end(database_.loop,
                      create_key(*worker_, {}, ring, {account_.live, "old", {"store:read"}, {}},
                                 system_clock().now()))
        .value();
  }
  std::int64_t use(const keyring::Keyring& ring, const Token& token) {
    KeyCheck check{*api_, ring, limits_, use_, database_.metrics};
    return run_to_end(database_.loop, check.identify(token.text, kAddress, pg::Steady::now() + 5s))
        .account;
  }
  std::int64_t dependents() {
    return run_to_end(database_.loop, list_dependent_keys(*worker_, {}, 1)).count;
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / std::format("key-check-{}", ::getpid());
  std::optional<keyring::Keyring> before_;
  std::optional<keyring::Keyring> after_;
};

TEST_F(RotatedKeyringTest, a_key_depends_on_the_newest_key_of_the_keyring_once_it_was_used) {
  const Token token = create_with(*before_);
  EXPECT_EQ(dependents(), 1);
  const auto listed = run_to_end(database_.loop, list_dependent_keys(*worker_, {}, 1)).first;
  EXPECT_EQ(listed.at(0).name, "old");
  EXPECT_EQ(use(*before_, token), account_.live);
  EXPECT_EQ(dependents(), 1);
  EXPECT_EQ(use(*after_, token), account_.live);
  EXPECT_EQ(dependents(), 0);
  EXPECT_EQ(use(*after_, token), account_.live);
  EXPECT_THROW(use(*before_, token), Problem);  // it is hashed under the second key now
  create_with(*after_);
  EXPECT_EQ(dependents(), 0);
}

TEST_F(RotatedKeyringTest, a_key_keeps_its_hash_while_a_process_lacks_the_newest_key) {
  const Token token = create_with(*before_);
  pg::Script admin{database_.admin_url()};
  const std::string process = Uuid::v7(system_clock().now()).to_string();
  admin.run(
      std::format("INSERT INTO running_process (process, version, keyring_keys) "
                  "VALUES ('{0}', 'test', '{{1}}'); "
                  "INSERT INTO heartbeat (at, process) VALUES (now(), '{0}')",
                  process));
  EXPECT_EQ(use(*after_, token), account_.live);
  EXPECT_EQ(dependents(), 1);
  // A process of an earlier release does not report its keys.
  admin.run("UPDATE running_process SET keyring_keys = NULL");
  EXPECT_EQ(use(*after_, token), account_.live);
  EXPECT_EQ(dependents(), 1);
  admin.run("UPDATE running_process SET keyring_keys = '{2,1}'");
  EXPECT_EQ(use(*after_, token), account_.live);
  EXPECT_EQ(dependents(), 0);
}

TEST_F(RotatedKeyringTest, a_key_of_an_unknown_hash_counts_as_dependent_until_it_is_used) {
  const Token token = create_with(*after_);
  pg::Script{database_.admin_url()}.run("UPDATE api_key SET ring_key = NULL");
  EXPECT_EQ(dependents(), 1);
  EXPECT_EQ(use(*after_, token), account_.live);
  EXPECT_EQ(dependents(), 0);
}

TEST_F(KeyCheckTest, use_of_a_key_is_recorded) {
  EXPECT_EQ(refusal(Token::create(Mode::live).text), "unauthorized");
  EXPECT_TRUE(use_.due(pg::Steady::now()).empty());
  const operations::Caller caller = identify(create(account_.live).text);
  const auto used = use_.due(pg::Steady::now());
  ASSERT_EQ(used.size(), 1U);
  EXPECT_EQ(used[0].key, (rates::Bucket{account_.live, caller.key_id}));
}

TEST_F(KeyCheckTest, no_key_is_created_for_an_unknown_account) {
  EXPECT_FALSE(run_to_end(database_.loop, create_key(*worker_, {}, keyring_, {1, "test", {}, {}},
                                                     system_clock().now())));
}

}  // namespace
}  // namespace shopbell::keys
