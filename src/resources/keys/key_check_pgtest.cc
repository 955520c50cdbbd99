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
  Token create(std::int64_t account, std::optional<Instant> expires_at = {}) {
    auto token =
        run_to_end(database_.loop,
                   create_key(*worker_, {}, keyring_, {account, "test", {"store:read"}, expires_at},
                              system_clock().now()));
    EXPECT_TRUE(token);
    return *token;
  }

  http::Principal identify(const std::string& token) {
    return run_to_end(database_.loop, check_.identify(token, pg::Steady::now() + 5s));
  }

  std::string refusal(const std::string& token) {
    try {
      identify(token);
    } catch (const Problem& problem) {
      return kind_of(problem.code()).name;
    }
    return "taken";
  }

  shopbell::testing::TestDatabase database_;
  keyring::Keyring keyring_ = database_.keyring();
  std::unique_ptr<pg::Pool> worker_ = database_.pool(database_.worker_url());
  std::unique_ptr<pg::Pool> api_ = database_.pool(database_.api_url());
  KeyCheck check_{*api_, keyring_};
  store::CreatedAccount account_ = run_to_end(
      database_.loop, store::create_account(*worker_, {}, {.name = "Bell", .currency = "EUR"},
                                            system_clock().now()));
};

TEST_F(KeyCheckTest, a_key_opens_its_account_and_no_other) {
  const http::Principal live = identify(create(account_.live).text);
  EXPECT_EQ(live.account, account_.live);
  EXPECT_TRUE(live.may("store:read"));
  EXPECT_FALSE(live.may("store:write"));
  const Token test = create(account_.test);
  EXPECT_TRUE(test.text.starts_with("sb_test_"));
  EXPECT_EQ(identify(test.text).account, account_.test);
}

TEST_F(KeyCheckTest, what_is_no_key_is_refused) {
  EXPECT_EQ(refusal(""), "unauthorized");
  EXPECT_EQ(refusal("sb_live_x"), "unauthorized");
  EXPECT_EQ(refusal(Token::create(Mode::live).text), "unauthorized");
  EXPECT_EQ(refusal(create(account_.live, system_clock().now() - 1s).text), "key-expired");
}

TEST_F(KeyCheckTest, a_revoked_key_is_dead_within_a_second) {
  const Token token = create(account_.live);
  EXPECT_EQ(refusal(token.text), "taken");
  pg::Script{database_.admin_url()}.run("UPDATE api_key SET revoked_at = now()");
  const auto revoked_at = pg::Steady::now();
  while (refusal(token.text) == "taken") {
    ASSERT_LT(pg::Steady::now() - revoked_at, 1s);
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_EQ(refusal(token.text), "key-revoked");
}

TEST_F(KeyCheckTest, a_suspended_account_is_told_so) {
  const Token token = create(account_.live);
  pg::Script{database_.admin_url()}.run("UPDATE account SET state = 'suspended'");
  EXPECT_EQ(refusal(token.text), "account-suspended");
}

TEST_F(KeyCheckTest, there_is_no_key_for_an_account_that_does_not_exist) {
  EXPECT_FALSE(run_to_end(database_.loop, create_key(*worker_, {}, keyring_, {1, "test", {}, {}},
                                                     system_clock().now())));
}

}  // namespace
}  // namespace shopbell::keys
