#include <format>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "resources/webhooks/due_endpoints.h"
#include "testing/delivery_fixture.h"

namespace shopbell::webhooks {
namespace {

class WebhookQueueTest : public DeliveryFixture {
 protected:
  std::size_t found() { return due_endpoints().size(); }
  std::vector<NextDue> advance(const Uuid& webhook) {
    const DueEndpoint endpoint{.account = account_, .webhook_id = webhook};
    return run(advance_next_due(*worker_, std::array{endpoint}));
  }
  std::string chains_after_upkeep() {
    text("SELECT forget_chains(interval '32 days', 1000)");
    return text("SELECT count(*) FROM webhook_chain");
  }
};

TEST_F(WebhookQueueTest, finds_an_endpoint_while_it_has_due_deliveries) {
  const Uuid webhook = endpoint();
  endpoint("{custom.visit}");
  EXPECT_EQ(found(), 0U);
  read({event("contact.created", someone_), event("contact.updated", someone_)});
  EXPECT_EQ(found(), 1U);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(advance(webhook).at(0).is_due);  // the next one of the contact has become due
    end(take().at(0), 200);
  }
  EXPECT_EQ(found(), 1U);  // the time is only advanced on request
  EXPECT_EQ(advance(webhook).at(0).at, std::nullopt);
  EXPECT_EQ(found(), 0U);
  read({event("contact.updated", someone_)});
  EXPECT_EQ(found(), 1U);
}

TEST_F(WebhookQueueTest, finds_an_endpoint_when_a_retry_is_due) {
  const Uuid webhook = endpoint();
  read({event("contact.created", someone_)});
  const auto taken = take();
  const auto lease = advance(webhook).at(0);  // a claimed delivery is due when its lease expires
  EXPECT_FALSE(lease.is_due);
  end(taken.at(0), 500);
  const auto retry =
      run(advance_next_due(*worker_, std::array{DueEndpoint{account_, webhook, {}}}));
  EXPECT_FALSE(retry.at(0).is_due);
  EXPECT_LT(*retry.at(0).at, *lease.at);
}

TEST_F(WebhookQueueTest, finds_an_endpoint_after_release_and_redelivery) {
  const Uuid webhook = endpoint();
  read({event("contact.created", someone_)});
  const auto taken = take();
  advance(webhook);
  EXPECT_EQ(found(), 0U);
  run(release(*worker_, taken));
  EXPECT_EQ(found(), 1U);
  end(take().at(0), 200);
  advance(webhook);
  EXPECT_EQ(found(), 0U);
  text(std::format("SELECT send_again({}, '{}', ARRAY[{}]::bigint[])", account_,
                   webhook.to_string(), taken.at(0).id));
  EXPECT_EQ(found(), 1U);
}

// If the time advanced, the endpoint would be forgotten and the delivery never sent.
TEST_F(WebhookQueueTest, does_not_advance_past_a_delivery_that_is_not_committed) {
  const Uuid webhook = endpoint();
  read({event("contact.created", someone_)});
  end(take().at(0), 200);
  pg::Script writer{database_.admin_url()};
  writer.run(std::format(
      "BEGIN; INSERT INTO webhook_delivery (account_id, webhook_id, event_uid, received_at, kind, "
      "lane, contact_id, sequence, state, due_at) VALUES ({}, '{}', gen_random_uuid(), now(), "
      "'contact.updated', 7, '{}', 2, 'due', now())",
      account_, webhook.to_string(), another_.to_string()));
  EXPECT_TRUE(advance(webhook).at(0).is_due);
  EXPECT_TRUE(take().empty());
  writer.run("COMMIT");
  EXPECT_EQ(take().size(), 1U);
}

TEST_F(WebhookQueueTest, polls_from_the_last_claimed_delivery_on) {
  endpoint();
  read({event("contact.created", someone_)});
  read({event("contact.created", another_)});
  const auto first = take(1).at(0);
  EXPECT_EQ(first.contact_id, someone_);
  auto endpoints = due_endpoints();
  endpoints.at(0).since = first.claimed_through;
  const auto second = run(take_due(*worker_, keyring_, endpoints, {}, 100));
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].contact_id, another_);
  EXPECT_GT(second[0].claimed_through, first.claimed_through);
}

TEST_F(WebhookQueueTest, belongs_to_its_endpoint) {
  const Uuid webhook = endpoint();
  read({event("contact.created", someone_)});
  admin_.run("DELETE FROM webhook");
  EXPECT_EQ(text("SELECT count(*) FROM webhook_queue"), "0");
  EXPECT_FALSE(advance(webhook).at(0).is_due);
}

TEST_F(WebhookQueueTest, deletes_old_deliveries_behind_those_deleted_before) {
  const Uuid webhook = endpoint();
  for (int i = 0; i < 3; ++i) {
    read({event("contact.updated", someone_)});
    end(take().at(0), 200);
  }
  admin_.run(
      "UPDATE webhook_delivery SET received_at = now() - interval '31 days' WHERE sequence < 3");
  const std::string last = text("SELECT max(id) FROM webhook_delivery");
  EXPECT_EQ(text("SELECT forget_deliveries(interval '30 days', 1)"), "1");
  EXPECT_EQ(text("SELECT forget_deliveries(interval '30 days', 1000)"), "1");
  EXPECT_EQ(text("SELECT forget_deliveries(interval '30 days', 1000)"), "0");
  EXPECT_EQ(states(webhook), "3 delivered");
  EXPECT_EQ(text("SELECT deleted_through + 1 FROM webhook_queue"), last);
}

TEST_F(WebhookQueueTest, deletes_only_chains_of_contacts_that_are_gone) {
  endpoint();
  admin_.run(std::format(
      "INSERT INTO contact (account_id, contact_id, lane, external_id, created_at, updated_at) "
      "VALUES ({}, '{}', 7, 'someone', now(), now())",
      account_, someone_.to_string()));
  const Uuid erased = Uuid::v7(system_clock().now());
  read({event("contact.updated", someone_), event("contact.deleted", erased),
        event("contact.deleted", another_), event("product.created")});
  for (const auto& delivery : take()) end(delivery, 200);
  EXPECT_EQ(chains_after_upkeep(), "4");  // the events are recent
  admin_.run(std::format("DELETE FROM event WHERE contact_id <> '{}' OR contact_id IS NULL",
                         another_.to_string()));
  EXPECT_EQ(chains_after_upkeep(), "3");
  EXPECT_EQ(text(std::format("SELECT count(*) FROM webhook_chain WHERE contact_id = '{}'",
                             erased.to_string())),
            "0");
  read({event("contact.updated", someone_)});
  EXPECT_EQ(take().at(0).sequence, 2);
}

TEST_F(WebhookQueueTest, scans_the_chains_page_by_page) {
  endpoint();
  for (int i = 0; i < 5; ++i) read({event("contact.deleted", Uuid::v7(system_clock().now()))});
  for (const auto& delivery : take()) end(delivery, 200);
  admin_.run("DELETE FROM event");
  int deleted = 0;
  for (int i = 0; i < 4; ++i)
    deleted += std::stoi(text("SELECT forget_chains(interval '32 days', 2)"));
  EXPECT_EQ(text("SELECT count(*) FROM webhook_chain"), "0");
  EXPECT_EQ(deleted, 4);  // the last page of a scan returns 0, which ends the chore
}

}  // namespace
}  // namespace shopbell::webhooks
