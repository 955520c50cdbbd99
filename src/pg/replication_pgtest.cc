#include <boost/asio/co_spawn.hpp>
#include <gtest/gtest.h>

#include "pg/pool.h"
#include "pg/script.h"
#include "testing/database.h"

namespace shopbell::pg {
namespace {

using namespace std::chrono_literals;

constexpr Query kWriteDown{"test.write_down", limits::kQueryTimeout,
                           "INSERT INTO written (n) VALUES ($1::bigint)"};

// A server whose synchronous standby is absent. Only this test's database waits for it: the others
// on the server commit locally.
class ReplicationTest : public ::testing::Test {
 protected:
  ReplicationTest() {
    admin_.run("CREATE TABLE written (n bigint); GRANT ALL ON written TO shopbell_api");
    admin_.run("ALTER SYSTEM SET synchronous_commit = 'local'");
    reload();
    const std::string name = admin_.query("SELECT current_database() AS n")[0].text("n");
    admin_.run("ALTER DATABASE " + admin_.quote_name(name) + " SET synchronous_commit = 'on'");
    admin_.run("ALTER SYSTEM SET synchronous_standby_names = 'absent'");
    reload();
  }
  ~ReplicationTest() override {
    admin_.run("ALTER SYSTEM RESET synchronous_standby_names");
    admin_.run("ALTER SYSTEM RESET synchronous_commit");
    admin_.run("SELECT pg_reload_conf()");
  }

  void reload() {
    admin_.run("SELECT pg_reload_conf()");
    std::this_thread::sleep_for(300ms);
  }
  // Cancels the wait of the first commit that waits for the standby, as an operator would.
  asio::awaitable<void> cancel() {
    for (int i = 0; i < 500; ++i) {
      if (!admin_
               .query("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = "
                      "'SyncRep' AND datname = current_database()")
               .empty())
        co_return;
      co_await runtime::sleep_for(20ms);
    }
    ADD_FAILURE() << "no commit waits for the standby";
  }

  shopbell::testing::TestDatabase database_;
  Script admin_{database_.admin_url()};
};

TEST_F(ReplicationTest, a_commit_that_no_standby_confirmed_is_an_error) {
  const auto pool = database_.pool(database_.api_url());
  std::optional<Error::Kind> kind;
  Group group;
  group.add(kWriteDown, std::int64_t{1});
  asio::co_spawn(database_.loop, pool->run(std::move(group), {}),
                 [&](const std::exception_ptr& failure, const Results&) {
                   try {
                     if (failure) std::rethrow_exception(failure);
                   } catch (const Error& error) {
                     kind = error.kind();
                     EXPECT_TRUE(error.is_outage());
                   }
                 });
  runtime::run_to_end(database_.loop, cancel());
  runtime::run_to_end(database_.loop, runtime::sleep_for(300ms));
  EXPECT_EQ(kind, Error::Kind::lost);
  // The primary has committed the row, and the connection still works.
  EXPECT_EQ(admin_.query("SELECT n FROM written").size(), 1U);
}

}  // namespace
}  // namespace shopbell::pg
