#include <format>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "testing/delivery_fixture.h"

namespace shopbell::webhooks {
namespace {

using namespace std::chrono_literals;

class DeliveryTest : public DeliveryFixture {};

TEST_F(DeliveryTest, is_created_for_every_endpoint_that_subscribes_to_the_kind) {
  const Uuid all = endpoint();
  const Uuid one = endpoint("{contact.created}");
  const Uuid group = endpoint("{custom.*}");
  const Uuid paused = endpoint("{}", "paused");
  const Uuid disabled = endpoint("{}", "disabled");
  read({event("contact.created", someone_), event("contact.updated", someone_),
        event("custom.visit", another_), event("handover", someone_)});
  EXPECT_EQ(states(all), "1 due, 2 held, 1 due");
  EXPECT_EQ(states(one), "1 due");
  EXPECT_EQ(states(group), "1 due");
  EXPECT_EQ(states(paused), "1 due, 2 held, 1 due");
  EXPECT_EQ(states(disabled), "");
  EXPECT_EQ(take().size(), 4U);  // the paused endpoint gets no delivery
}

TEST_F(DeliveryTest, has_the_data_of_its_request) {
  const Uuid webhook = endpoint();
  const auto happened = event("contact.created", someone_);
  read({happened});
  const auto taken = take();
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].webhook_id, webhook);
  EXPECT_EQ(taken[0].event_uid, happened.uid);
  EXPECT_EQ(taken[0].kind, "contact.created");
  EXPECT_EQ(taken[0].contact_id, someone_);
  EXPECT_EQ(taken[0].sequence, 1);
  EXPECT_EQ(taken[0].attempts, 1);
  EXPECT_EQ(taken[0].data, R"({"n": 1})");
  EXPECT_EQ(taken[0].secrets, std::vector<std::string>{"whsec_Zm9vYmFy"});
  EXPECT_EQ(taken[0].url, "https://shop.example/" + webhook.to_string());
}

TEST_F(DeliveryTest, waits_for_the_previous_delivery_of_its_contact) {
  const Uuid webhook = endpoint();
  read({event("contact.created", someone_), event("contact.updated", someone_)});
  read({event("contact.updated", someone_)});
  EXPECT_EQ(states(webhook), "1 due, 2 held, 3 held");
  for (const auto* after : {"1 delivered, 2 due, 3 held", "1 delivered, 2 delivered, 3 due",
                            "1 delivered, 2 delivered, 3 delivered"}) {
    const auto taken = take();
    ASSERT_EQ(taken.size(), 1U);
    EXPECT_TRUE(take().empty());  // the only due delivery is in flight
    end(taken[0], 200);
    EXPECT_EQ(states(webhook), after);
  }
  read({event("contact.updated", someone_)});
  EXPECT_EQ(states(webhook), "1 delivered, 2 delivered, 3 delivered, 4 due");
}

TEST_F(DeliveryTest, that_fails_blocks_only_its_contact_and_for_a_limited_time) {
  endpoint();
  read({event("contact.created", someone_), event("contact.updated", someone_),
        event("contact.created", another_)});
  for (const auto& delivery : take()) end(delivery, delivery.contact_id == someone_ ? 500 : 200);
  EXPECT_TRUE(take().empty());  // the failed delivery waits for its backoff
  EXPECT_EQ(text("SELECT count(*) FROM webhook_delivery WHERE state = 'held'"), "1");
  admin_.run(
      "UPDATE webhook_delivery SET failing_since = now() - interval '6 minutes' "
      "WHERE failing_since IS NOT NULL");
  make_due();
  end(take().at(0), 500);
  EXPECT_EQ(text("SELECT count(*) FROM webhook_delivery WHERE state = 'held'"), "0");
  const auto later = take();  // the contact's second delivery
  ASSERT_EQ(later.size(), 1U);
  EXPECT_EQ(later[0].sequence, 2);
  end(later[0], 200);
  make_due();
  end(take().at(0), 200);
  EXPECT_EQ(text("SELECT count(*) FROM webhook_delivery WHERE state <> 'delivered'"), "0");
  EXPECT_EQ(text("SELECT count(*) FROM webhook_chain WHERE head IS NOT NULL"), "0");
}

TEST_F(DeliveryTest, is_sent_although_the_clock_was_set_back_since_it_was_scheduled) {
  const Uuid webhook = endpoint();
  endpoint("{}", "paused");
  read({event("contact.created", someone_), event("contact.created", another_)});
  const auto taken = take();
  ASSERT_EQ(taken.size(), 2U);
  end(taken[0], 500);
  end(taken[1], 200);
  read({event("contact.updated", another_)});
  admin_.run("UPDATE webhook_delivery SET due_at = due_at + interval '1 hour'");
  EXPECT_TRUE(take().empty());
  EXPECT_EQ(run(bring_forward(*worker_)), 1);
  EXPECT_EQ(run(bring_forward(*worker_)), 0);
  const auto again = take();  // not the one that waits for its backoff
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].webhook_id, webhook);
  EXPECT_EQ(again[0].kind, "contact.updated");
}

TEST_F(DeliveryTest, is_abandoned_after_three_days) {
  const Uuid webhook = endpoint();
  read({event("contact.created", someone_), event("contact.updated", someone_)});
  end(take().at(0), 500);
  admin_.run(
      "UPDATE webhook_delivery SET failing_since = now() - interval '73 hours' "
      "WHERE failing_since IS NOT NULL");
  make_due();
  end(take().at(0), 500);
  EXPECT_EQ(states(webhook), "1 failed, 2 due");
}

TEST_F(DeliveryTest, is_resent_after_its_lease_expired_and_the_first_sender_is_fenced) {
  const Uuid webhook = endpoint();
  read({event("contact.created", someone_)});
  const auto first = take().at(0);
  make_due();  // lets the lease expire
  const auto second = take().at(0);
  EXPECT_EQ(second.event_uid, first.event_uid);
  EXPECT_EQ(second.attempts, 2);
  end(first, 500);
  EXPECT_EQ(states(webhook), "1 due");
  EXPECT_TRUE(take().empty());
  end(second, 200);
  EXPECT_EQ(states(webhook), "1 delivered");
}

TEST_F(DeliveryTest, is_limited_per_endpoint_and_account) {
  const Uuid many = endpoint("{contact.created}");
  const Uuid few = endpoint("{contact.deleted}");
  std::vector<event_log::Entry> entries;
  for (int i = 0; i < 30; ++i)
    entries.push_back(event("contact.created", Uuid::v7(system_clock().now())));
  entries.push_back(event("contact.deleted", someone_));
  read(entries);
  const auto taken = take(4);
  EXPECT_EQ(taken.size(), 4U);
  EXPECT_EQ(std::ranges::count(taken, few, &Delivery::webhook_id), 1);  // endpoints take turns
  Load load;
  load.of_webhook[many] = 3;
  load.of_account[account_] = 4;
  EXPECT_EQ(std::ssize(take(100, load)), std::ssize(taken) + 1);  // at most eight per endpoint
  load.of_webhook[many] = 0;
  load.of_account[account_] = limits::kDeliveriesPerAccount - 2;
  EXPECT_EQ(take(100, load).size(), 2U);
  load.of_webhook[many] = -4;
  load.of_account[account_] = -4;
  EXPECT_EQ(take(100, load).size(), limits::kDeliveriesPerEndpoint + 4);  // load -4: prefetch
}

TEST_F(DeliveryTest, that_was_released_is_due_again_without_counting_an_attempt) {
  const Uuid webhook = endpoint();
  read({event("contact.created", someone_), event("contact.created", another_)});
  const auto first = take();
  ASSERT_EQ(first.size(), 2U);
  make_due();  // both leases expire, and another sender claims one of them
  const auto second = take(1);
  ASSERT_EQ(second.size(), 1U);
  run(release(*worker_, first));
  const auto third = take();
  ASSERT_EQ(third.size(), 1U);
  EXPECT_NE(third[0].id, second[0].id);
  EXPECT_EQ(third[0].attempts, 1);
  end(second[0], 200);
  end(third[0], 200);
  EXPECT_EQ(states(webhook), "1 delivered, 1 delivered");
}

// The plan uses the index even without table statistics, because a plan is made only once.
TEST_F(DeliveryTest, is_settled_without_reading_all_deliveries_of_its_endpoint) {
  const Uuid webhook = endpoint();
  admin_.run(std::format(
      "WITH someone AS (SELECT gen_random_uuid() AS contact_id, gen_random_uuid() AS uid FROM "
      "generate_series(1, 3000)), chain AS (INSERT INTO webhook_chain (account_id, webhook_id, "
      "lane, contact_id, last_sequence, head) SELECT {0}, '{1}', 7, contact_id, 1, uid FROM "
      "someone) INSERT INTO webhook_delivery (account_id, webhook_id, event_uid, received_at, "
      "kind, lane, contact_id, sequence, state, due_at) SELECT {0}, '{1}', uid, now(), "
      "'contact.created', 7, contact_id, 1, 'due', now() FROM someone",
      account_, webhook.to_string()));
  ASSERT_EQ(take(100, {.of_webhook = {{webhook, -92}}, .of_account = {{account_, -36}}}).size(),
            100U);
  for (const char* set : {"plan_cache_mode = force_generic_plan", "enable_seqscan = off"})
    admin_.run(std::format("SET {}", set));
  admin_.run("CREATE TEMP TABLE taken AS SELECT * FROM webhook_delivery WHERE sender IS NOT NULL");
  const auto rows_read = [&] {
    return std::stoi(
        text("SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables WHERE "
             "relname = 'webhook_delivery'"));
  };
  admin_.run("BEGIN");
  const int before = rows_read();
  admin_.run(
      "SELECT settle_deliveries(array_agg(account_id), array_agg(webhook_id), array_agg(id), "
      "array_agg(sender), array_agg(true), array_agg(200::smallint), array_agg(NULL::text), "
      "array_agg(NULL::bigint), array_agg(NULL::bigint), '3 days', '5 minutes', '1 day') FROM "
      "taken");
  const int read = rows_read() - before;
  admin_.run("COMMIT");
  EXPECT_LT(read, 1000);
  EXPECT_EQ(text("SELECT count(*) FROM webhook_delivery WHERE state = 'delivered'"), "100");
}

TEST_F(DeliveryTest, updates_the_health_of_its_endpoint) {
  const Uuid webhook = endpoint();
  read({event("contact.created", someone_), event("contact.created", another_)});
  const auto taken = take();
  end(taken.at(0), 500);
  EXPECT_EQ(state(webhook), "enabled - true");
  end(taken.at(1), 200);
  EXPECT_EQ(state(webhook), "enabled - false");
  make_due();
  end(take().at(0), 500);
  admin_.run("UPDATE webhook SET failing_since = now() - interval '25 hours'");
  make_due();
  end(take().at(0), 500);
  EXPECT_EQ(state(webhook), "paused failing true");
  make_due();
  EXPECT_TRUE(take().empty());
}

TEST_F(DeliveryTest, disables_an_endpoint_that_answers_410) {
  const Uuid webhook = endpoint();
  read({event("contact.created", someone_), event("contact.updated", someone_)});
  end(take().at(0), 410);
  EXPECT_EQ(state(webhook), "disabled gone true");
  EXPECT_EQ(states(webhook), "1 failed, 2 due");
  EXPECT_TRUE(take().empty());
  read({event("contact.updated", someone_)});
  EXPECT_EQ(states(webhook), "1 failed, 2 due");
}

TEST_F(DeliveryTest, pauses_an_endpoint_for_as_long_as_retry_after_says) {
  endpoint();
  read({event("contact.created", someone_)});
  run(settle(*worker_, std::array{outcome(take().at(0), 429, 60s)}));
  read({event("contact.created", another_)});
  make_due();
  EXPECT_TRUE(take().empty());
  admin_.run("UPDATE webhook SET rests_until = now()");
  EXPECT_EQ(take().size(), 2U);
}

TEST_F(DeliveryTest, is_replayed_in_order_with_its_sequence_number) {
  const Uuid webhook = endpoint();
  read({event("contact.created", someone_), event("contact.updated", someone_),
        event("contact.updated", someone_)});
  for (int i = 0; i < 3; ++i) end(take().at(0), 200);
  EXPECT_FALSE(run(step_replay(*worker_)));
  admin_.run("UPDATE webhook SET replay_from = now() - interval '1 hour', replay_to = now()");
  EXPECT_TRUE(run(step_replay(*worker_)));
  EXPECT_FALSE(run(step_replay(*worker_)));
  EXPECT_EQ(states(webhook), "1 due, 2 held, 3 held");
  for (std::int64_t i = 1; i <= 3; ++i) {
    const auto again = take().at(0);
    EXPECT_EQ(again.sequence, i);
    EXPECT_EQ(again.attempts, 1);
    end(again, 200);
  }
}

TEST_F(DeliveryTest, is_counted_while_it_is_waiting) {
  endpoint();
  endpoint("{}", "paused");
  EXPECT_EQ(run(count_waiting(*worker_, due_endpoints())).deliveries, 0);
  read({event("contact.created", someone_), event("contact.created", another_)});
  admin_.run(
      "UPDATE webhook_delivery SET due_at = now() - interval '10 seconds'; "
      "UPDATE webhook_queue SET next_due_at = now() - interval '10 seconds'");
  const Waiting waiting = run(count_waiting(*worker_, due_endpoints()));
  EXPECT_EQ(waiting.deliveries, 2);
  EXPECT_GE(waiting.seconds, 10);
  EXPECT_LT(waiting.seconds, 60);
}

TEST_F(DeliveryTest, waits_while_its_account_is_suspended) {
  endpoint();
  read({event("contact.created", someone_)});
  admin_.run("UPDATE account SET state = 'suspended'");
  EXPECT_TRUE(take().empty());
  EXPECT_EQ(run(count_waiting(*worker_, due_endpoints())).deliveries, 0);
  admin_.run("UPDATE account SET state = 'active'");
  EXPECT_EQ(take().size(), 1U);
}

TEST_F(DeliveryTest, is_deleted_when_old_and_unblocks_the_next) {
  const Uuid webhook = endpoint();
  read({event("contact.created", someone_), event("contact.updated", someone_)});
  admin_.run(
      "UPDATE webhook_delivery SET received_at = now() - interval '31 days' "
      "WHERE sequence = 1");
  EXPECT_EQ(text("SELECT forget_deliveries(interval '30 days', 1000)"), "1");
  EXPECT_EQ(text("SELECT forget_deliveries(interval '30 days', 1000)"), "0");
  EXPECT_EQ(states(webhook), "2 due");
}

TEST_F(DeliveryTest, is_deleted_with_its_endpoint) {
  const Uuid webhook = endpoint();
  read({event("contact.created", someone_)});
  admin_.run(
      std::format("DELETE FROM webhook; INSERT INTO dropped_webhook VALUES ({}, '{}', now() "
                  "- interval '2 minutes')",
                  account_, webhook.to_string()));
  while (text("SELECT purge_dropped_webhooks(1000)") != "0") {
  }
  EXPECT_EQ(text("SELECT (SELECT count(*) FROM webhook_delivery) + (SELECT count(*) FROM "
                 "webhook_chain) + (SELECT count(*) FROM dropped_webhook)"),
            "0");
}

}  // namespace
}  // namespace shopbell::webhooks
