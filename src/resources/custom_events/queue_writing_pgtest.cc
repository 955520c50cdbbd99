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
  QueueTally write(const std::vector<QueuedEvent>& events) {
    for (int attempt = 1;; ++attempt) {
      try {
        const QueueTally tally =
            run_to_end(database_.loop, api_->transaction({}, [&](pg::Transaction& transaction) {
              return writing_.write(transaction, events);
            }));
        writing_.settled();
        return tally;
      } catch (const RestartTransaction&) {
        if (attempt == 5) throw;
        ++restarts_;
      }
    }
  }
  QueueTally write(std::int64_t account) {
    return write({{.account = account,
                   .id = Uuid::v7(system_clock().now()),
                   .received_at = system_clock().now(),
                   .type_id = Uuid::v7(system_clock().now()),
                   .body = R"({"contact":{"email":"eva@example.com"}})"}});
  }

  // Accounts 1 to `count`: each has the event type, and a contact eva@example.com.
  void add_accounts(int count) {
    admin_.run(std::format(
        R"(INSERT INTO account (account_id, id, name, time_zone, currency, locale)
             SELECT n, gen_random_uuid(), 'Bell', 'UTC', 'EUR', 'en' FROM generate_series(1, {0}) n;
           INSERT INTO integration (account_id, integration_id, name, events_enabled, created_at, updated_at)
             SELECT n, '{1}', 'Shop', true, now(), now() FROM generate_series(1, {0}) n;
           INSERT INTO event_type (account_id, event_type_id, integration_id, name, direction, alias,
                                   additional_members, created_at, updated_at)
             SELECT n, '{1}', '{1}', 'Cart', 'receive', 'cart', 'keep', now(), now() FROM generate_series(1, {0}) n;
           INSERT INTO event_type_counter (account_id, version) SELECT n, n FROM generate_series(1, {0}) n;
           INSERT INTO contact (account_id, contact_id, lane, email, email_key, created_at, updated_at)
             SELECT n, gen_random_uuid(), n, 'eva@example.com', 'eva@example.com', now(), now()
               FROM generate_series(1, {0}) n)",
        count, type_.to_string()));
  }
  QueuedEvent event(std::int64_t account, int count, const std::string& name = "eva",
                    const std::string& event_id = "") {
    return {.account = account,
            .id = Uuid::v7(system_clock().now()),
            .received_at = system_clock().now(),
            .type_id = type_,
            .body = std::format(
                R"({{{}"contact":{{"email":"{}@example.com"}},"payload":{{"count":{}}}}})",
                event_id.empty() ? "" : std::format(R"("eventId":"{}",)", event_id), name, count)};
  }
  QueuedEvent creating(QueuedEvent event) {
    event.parameters = {{"createContact", "true"}};
    return event;
  }

  // Returns the counts in the account's events, in order of their ids.
  std::string counts(std::int64_t account, const std::string& name = "eva") {
    return admin_
        .query(std::format(
            "SELECT coalesce(string_agg(payload->>'count', ' ' ORDER BY id), '') AS found FROM "
            "event e "
            "JOIN contact c ON c.account_id = e.account_id AND c.contact_id = e.contact_id "
            "WHERE e.account_id = {} AND e.lane = c.lane AND kind = 'custom.cart' "
            "AND c.email_key = '{}@example.com'",
            account, name))[0]
        .text("found");
  }
  // Returns the rejected events of the account, as codes in order.
  std::string rejections(std::int64_t account) {
    return admin_
        .query(std::format("SELECT coalesce(string_agg(code, ' ' ORDER BY code), '') AS found "
                           "FROM rejected_event WHERE account_id = {}",
                           account))[0]
        .text("found");
  }
  // Returns the number of statements that the pools have sent, with BEGIN and COMMIT.
  std::int64_t statements() const {
    std::int64_t sum = 0;
    const std::string text = database_.metrics.text();
    const std::string_view name = "\nshopbell_query_seconds_count{";
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
      sum += std::stoll(text.substr(text.find('}', at) + 1));
    return sum;
  }

  shopbell::testing::TestDatabase database_;
  pg::Script admin_{database_.admin_url()};
  std::unique_ptr<pg::Pool> api_ = database_.pool(database_.api_url());
  keyring::Keyring keyring_ = database_.keyring();
  QueueWriting writing_{*api_, keyring_};
  const Uuid type_ = Uuid::v7(system_clock().now());
  int restarts_ = 0;
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

TEST_F(QueueWritingTest, the_number_of_statements_does_not_depend_on_the_number_of_accounts) {
  constexpr int kAccounts = 50;
  add_accounts(kAccounts);
  std::vector<QueuedEvent> one;
  std::vector<QueuedEvent> many;
  for (int count = 0; count < 3; ++count) {
    one.push_back(event(1, count));
    for (int account = 1; account <= kAccounts; ++account) many.push_back(event(account, count));
  }
  EXPECT_EQ(write(many).written, 3 * kAccounts);  // loads the event types
  const auto before = statements();
  EXPECT_EQ(write(one).written, 3);
  const auto between = statements();
  EXPECT_EQ(write(many).written, 3 * kAccounts);
  EXPECT_GT(between, before);
  EXPECT_EQ(statements() - between, between - before);
  EXPECT_EQ(counts(1), "0 1 2 0 1 2 0 1 2");
  EXPECT_EQ(admin_.query("SELECT count(*) AS n FROM event")[0].integer("n"),
            3 * (2 * kAccounts + 1));
  for (int account = 2; account <= kAccounts; ++account) EXPECT_EQ(counts(account), "0 1 2 0 1 2");
  EXPECT_EQ(restarts_, 0);
}

TEST_F(QueueWritingTest, events_of_an_account_that_is_deleted_do_not_stop_the_others) {
  add_accounts(3);
  admin_.run(
      "UPDATE account SET state = 'suspended', state_on_restore = 'active', delete_at = now(),"
      " deletion_step_at = now(), deletion_began_at = now() WHERE account_id = 2");
  const QueueTally tally = write({event(1, 0), event(2, 0), event(2, 1), event(3, 0)});
  EXPECT_EQ(tally.written, 2);
  EXPECT_EQ(tally.dropped, 2);
  EXPECT_EQ(counts(2), "");
}

TEST_F(QueueWritingTest, keeps_the_order_of_each_contact_in_each_account) {
  add_accounts(3);
  std::vector<QueuedEvent> events;
  for (int count = 0; count < 4; ++count)
    for (int account = 3; account >= 1; --account) {
      events.push_back(event(account, count));
      events.push_back(creating(event(account, count, "new")));
    }
  EXPECT_EQ(write(events).written, 24);
  for (int account = 1; account <= 3; ++account) {
    EXPECT_EQ(counts(account), "0 1 2 3");
    EXPECT_EQ(counts(account, "new"), "0 1 2 3");
  }
  EXPECT_EQ(restarts_, 0);
  // An event that updates its contact is written alone: no later event may overtake it.
  events = {event(1, 4), event(2, 4), event(2, 5), event(2, 6), event(3, 4)};
  events[2].parameters = {{"updateContact", "true"}};
  EXPECT_EQ(write(events).written, 5);
  EXPECT_EQ(restarts_, 1);
  EXPECT_EQ(counts(2), "0 1 2 3 4 5 6");
  EXPECT_EQ(counts(3), "0 1 2 3 4");
}

TEST_F(QueueWritingTest, an_event_id_belongs_to_its_account) {
  add_accounts(2);
  const QueuedEvent first = event(1, 0, "eva", "id");
  const QueueTally tally =
      write({event(2, 0, "eva", "id"), first, event(1, 0, "eva", "id"), event(1, 1, "eva", "id")});
  EXPECT_EQ(tally.written, 2);
  EXPECT_EQ(tally.rejected, 2);
  EXPECT_EQ(rejections(1), "duplicate event-exists");
  EXPECT_EQ(rejections(2), "");
  const QueueTally again = write({first, event(2, 1)});
  EXPECT_EQ(again.known, 1);
  EXPECT_EQ(again.written, 1);
  EXPECT_EQ(counts(1), "0");
  EXPECT_EQ(counts(2), "0 1");
}

TEST_F(QueueWritingTest, rejects_events_in_their_own_account) {
  add_accounts(3);
  // The contact ida exists in account 2 only.
  EXPECT_EQ(write({creating(event(2, 0, "ida"))}).written, 1);
  QueuedEvent unknown_type = event(3, 0);
  unknown_type.type_id = Uuid::v7(system_clock().now());
  std::vector<QueuedEvent> events{event(1, 1, "ida"), event(2, 1, "ida"), event(3, 1, "ida"),
                                  unknown_type, event(3, 2)};
  QueueTally tally = write(events);
  EXPECT_EQ(tally.written, 2);
  EXPECT_EQ(tally.rejected, 3);
  EXPECT_EQ(rejections(1), "contact-not-found");
  EXPECT_EQ(rejections(2), "");
  EXPECT_EQ(rejections(3), "contact-not-found not-found");
  EXPECT_EQ(counts(2, "ida"), "0 1");
  EXPECT_EQ(counts(3), "2");
  // In account 1 she was erased: nothing of her late event may be stored.
  admin_.run(
      "INSERT INTO erasure (account_id, identifier_hash, erased_at) SELECT account_id, "
      "identifiers[1], now() + interval '1 hour' FROM rejected_event WHERE account_id = 1");
  tally = write({event(1, 2, "ida"), event(2, 2, "ida"), event(1, 3)});
  EXPECT_EQ(tally.erased, 1);
  EXPECT_EQ(tally.written, 2);
  EXPECT_EQ(rejections(1), "");
  EXPECT_EQ(counts(2, "ida"), "0 1 2");
}

TEST_F(QueueWritingTest, validates_by_the_current_event_types_of_each_account) {
  add_accounts(2);
  EXPECT_EQ(write({event(1, 0), event(2, 0)}).written, 2);
  admin_.run("UPDATE event_type_counter SET version = 100 WHERE account_id = 2");
  EXPECT_EQ(write({event(1, 1), event(2, 1)}).written, 2);
  EXPECT_EQ(restarts_, 0);
  EXPECT_EQ(counts(2), "0 1");
}

}  // namespace
}  // namespace shopbell::custom_events
