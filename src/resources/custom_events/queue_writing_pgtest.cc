#include <format>

#include <gtest/gtest.h>

#include "resources/custom_events/queue_writing.h"
#include "runtime/wait.h"
#include "testing/database.h"

namespace shopbell::custom_events {
namespace {

using runtime::run_to_end;

class QueueWritingTest : public ::testing::Test {
 protected:
  QueueTally write(std::int64_t account) {
    const std::vector<QueuedEvent> events{{.account = account,
                                           .id = Uuid::v7(system_clock().now()),
                                           .received_at = system_clock().now(),
                                           .type_id = Uuid::v7(system_clock().now()),
                                           .body = R"({"contact":{"email":"eva@example.com"}})"}};
    return run_to_end(database_.loop, api_->transaction({}, [&](pg::Transaction& transaction) {
      return writing_.write(transaction, events);
    }));
  }

  shopbell::testing::TestDatabase database_;
  pg::Script admin_{database_.admin_url()};
  std::unique_ptr<pg::Pool> api_ = database_.pool(database_.api_url());
  keyring::Keyring keyring_ = database_.keyring();
  QueueWriting writing_{*api_, keyring_};
};

TEST_F(QueueWritingTest, drops_events_of_accounts_that_are_deleted) {
  const std::int64_t account = random_account_id();
  admin_.run(
      std::format("INSERT INTO account (account_id, id, name, time_zone, currency, locale)"
                  " VALUES ({}, gen_random_uuid(), 'Bell', 'UTC', 'EUR', 'en')",
                  account));
  const QueueTally kept = write(account);
  EXPECT_EQ(kept.rejected, 1);  // there is no such event type
  EXPECT_EQ(kept.dropped, 0);
  admin_.run(
      "UPDATE account SET state = 'suspended', state_on_restore = 'active', delete_at = now(),"
      " deletion_step_at = now()");
  EXPECT_EQ(write(account).rejected, 1);  // the deletion has not begun
  admin_.run("UPDATE account SET deletion_began_at = now()");
  for (const std::int64_t gone : {account, random_account_id()}) {
    const QueueTally tally = write(gone);
    EXPECT_EQ(tally.dropped, 1);
    EXPECT_EQ(tally.rejected, 0);
  }
}

}  // namespace
}  // namespace shopbell::custom_events
