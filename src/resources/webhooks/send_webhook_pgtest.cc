#include <format>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "events/event_kinds.h"
#include "resources/webhooks/webhook_store.h"
#include "testing/delivery_fixture.h"

namespace shopbell::webhooks {
namespace {

// What workflows send to the endpoints of event types, and how their runs hear of the end.
class SendWebhookTest : public DeliveryFixture {
 protected:
  SendWebhookTest() {
    admin_.run(
        std::format("INSERT INTO integration (account_id, integration_id, name, events_enabled, "
                    "created_at, updated_at) VALUES ({}, '{}', 'Till', true, now(), now())",
                    account_, integration_.to_string()));
  }

  Uuid event_type(const std::string& name = "Points redeemed") {
    const Uuid id = Uuid::v7(system_clock().now());
    const auto sealed = keyring_.seal("whsec_Zm9vYmFy", outgoing::secret_context(account_, id));
    admin_.run(std::format(
        "INSERT INTO event_type (account_id, event_type_id, integration_id, name, direction, "
        "fields, additional_members, url, headers, signing_secret, created_at, updated_at) VALUES "
        "({}, '{}', '{}', '{}', 'send', '[]', 'keep', 'https://shop.example/{}', '[]', '\\x{}', "
        "now(), now())",
        account_, id.to_string(), integration_.to_string(), name, id.to_string(), to_hex(sealed)));
    return id;
  }

  // What the lane of a contact appends for a webhook node.
  event_log::Entry sent(const Uuid& type, const Uuid& contact) {
    event_log::Entry entry = event(std::string{events::kSendWebhook}, contact);
    entry.subject = type.to_string();
    entry.hops = 3;
    admin_.run(std::format("UPDATE event SET subject = '{}', hops = 3 WHERE id = {}",
                           *entry.subject, entry.id));
    return entry;
  }

  // Ends of deliveries in the order of their events, such as "delivered failed".
  std::string ends() {
    return text(
        "SELECT string_agg(CASE WHEN (payload->>'delivered')::boolean THEN 'delivered' ELSE "
        "'failed' END, ' ' ORDER BY id) FROM event WHERE kind = 'delivery-ended'");
  }
  void set_state(const Uuid& type, bool is_enabled) {
    pg::Group effect;
    set_endpoint_state(effect, account_, type, is_enabled, system_clock().now());
    run(api_->run(std::move(effect), {.account = account_}));
  }
  // Ends everything that a disabled endpoint refuses, as the sender does.
  void refuse_all() {
    while (run(hasten_refused(*worker_)) > 0) {
    }
    for (auto taken = take(); !taken.empty(); taken = take())
      for (const auto& delivery : taken) {
        ASSERT_TRUE(delivery.is_refused);
        run(settle(*worker_, std::array{refused(delivery)}));
      }
  }

  const Uuid integration_ = Uuid::v7(system_clock().now());
};

TEST_F(SendWebhookTest, goes_to_the_endpoint_of_its_event_type_alone) {
  const Uuid subscriber = endpoint();
  const Uuid type = event_type();
  const Uuid other = event_type("Other");
  const auto first = sent(type, someone_);
  read({first, event("contact.created", someone_), sent(type, someone_), sent(type, another_),
        event("delivery-ended", someone_)});
  EXPECT_EQ(states(type), "1 due, 2 held, 1 due");
  EXPECT_EQ(states(other), "");
  EXPECT_EQ(states(subscriber), "1 due");
  EXPECT_EQ(text(std::format("SELECT kind FROM webhook_delivery WHERE webhook_id = '{}'",
                             subscriber.to_string())),
            "contact.created");
  auto taken = take();
  std::ranges::sort(taken, {}, &Delivery::id);
  ASSERT_EQ(taken.size(), 3U);
  EXPECT_EQ(taken[0].event_uid, first.uid);
  EXPECT_EQ(taken[0].event_type, "Points redeemed");
  EXPECT_EQ(taken[0].data, R"({"n": 1})");
  EXPECT_EQ(taken[0].url, "https://shop.example/" + type.to_string());
  EXPECT_EQ(taken[0].secrets, std::vector<std::string>{"whsec_Zm9vYmFy"});
  EXPECT_FALSE(taken[0].is_refused);
  EXPECT_EQ(taken[1].event_type, std::nullopt);
}

TEST_F(SendWebhookTest, tells_the_lane_of_the_contact_when_it_was_delivered) {
  const Uuid type = event_type();
  const auto one = sent(type, someone_);
  read({one, sent(type, someone_)});
  EXPECT_EQ(ends(), "");
  end(take().at(0), 200);
  EXPECT_EQ(
      text("SELECT json_build_array(account_id, lane, contact_id, trigger, hops, payload) FROM "
           "event WHERE kind = 'delivery-ended'"),
      std::format(R"([{}, 7, "{}", "none", 3, {{"delivered": true, "deliveryId": "{}"}}])",
                  account_, someone_.to_string(), one.uid.to_string()));
  end(take().at(0), 204);
  EXPECT_EQ(ends(), "delivered delivered");
}

TEST_F(SendWebhookTest, fails_after_its_last_retry) {
  const Uuid type = event_type();
  read({sent(type, someone_)});
  end(take().at(0), 500);
  make_due();
  end(take().at(0), 500);
  EXPECT_EQ(ends(), "");
  admin_.run("UPDATE webhook_delivery SET failing_since = now() - interval '73 hours'");
  make_due();
  end(take().at(0), 500);
  EXPECT_EQ(states(type), "1 failed");
  EXPECT_EQ(ends(), "failed");
}

TEST_F(SendWebhookTest, ends_everything_that_waits_after_a_410) {
  const Uuid type = event_type();
  const Uuid third = Uuid::v7(system_clock().now());
  read({sent(type, someone_), sent(type, someone_), sent(type, someone_), sent(type, another_),
        sent(type, third)});
  auto taken = take();
  std::ranges::sort(taken, {}, &Delivery::id);
  ASSERT_EQ(taken.size(), 3U);
  end(taken[1], 500);  // waits for its retry
  end(taken[0], 410);
  EXPECT_EQ(state(type), "disabled gone true");
  EXPECT_EQ(ends(), "failed");
  refuse_all();
  EXPECT_EQ(ends(), "failed failed failed failed");  // the last one is still in flight
  end(taken[2], 200);
  EXPECT_EQ(ends(), "failed failed failed failed delivered");
  EXPECT_EQ(text("SELECT count(*) FROM webhook_delivery WHERE ended_at IS NULL"), "0");
}

TEST_F(SendWebhookTest, fails_at_once_if_its_event_type_is_disabled) {
  const Uuid type = event_type();
  set_state(type, false);
  EXPECT_EQ(state(type), "disabled requested false");
  const auto one = sent(type, someone_);
  read({one, event("contact.created", someone_)});
  EXPECT_EQ(states(type), "");
  EXPECT_EQ(ends(), "failed");
  EXPECT_EQ(text("SELECT payload->>'deliveryId' FROM event WHERE kind = 'delivery-ended'"),
            one.uid.to_string());
  EXPECT_EQ(text("SELECT hops FROM event WHERE kind = 'delivery-ended'"), "3");
  set_state(type, true);
  read({sent(type, someone_)});
  EXPECT_EQ(states(type), "1 due");
  EXPECT_EQ(ends(), "failed");
}

// The reader can schedule a delivery while the endpoint is being disabled.
TEST_F(SendWebhookTest, is_refused_if_its_event_type_is_disabled_after_it_was_scheduled) {
  const Uuid type = event_type();
  read({sent(type, someone_)});
  set_state(type, false);
  const auto taken = take();
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_TRUE(taken[0].is_refused);
  run(settle(*worker_, std::array{refused(taken[0])}));
  EXPECT_EQ(ends(), "failed");
}

TEST_F(SendWebhookTest, fails_if_its_event_type_was_deleted) {
  const Uuid type = event_type();
  read({sent(type, someone_), sent(type, someone_)});
  end(take().at(0), 200);
  admin_.run("DELETE FROM integration");  // with its event types
  EXPECT_EQ(text("SELECT count(*) FROM webhook"), "0");
  EXPECT_TRUE(take().empty());
  read({sent(type, another_)});
  EXPECT_EQ(ends(), "delivered failed");
  admin_.run("UPDATE dropped_webhook SET dropped_at = now() - interval '2 minutes'");
  while (text("SELECT purge_dropped_webhooks(1000)") != "0") {
  }
  EXPECT_EQ(ends(), "delivered failed failed");
  EXPECT_EQ(text("SELECT count(*) FROM webhook_delivery"), "0");
}

TEST_F(SendWebhookTest, fails_if_it_is_deleted_because_it_is_old) {
  const Uuid type = event_type();
  read({sent(type, someone_), sent(type, another_)});
  end(take().at(0), 200);
  admin_.run("UPDATE account SET state = 'suspended'");
  admin_.run("UPDATE webhook_delivery SET received_at = now() - interval '31 days'");
  EXPECT_EQ(text("SELECT forget_deliveries(interval '30 days', 1000)"), "2");
  EXPECT_EQ(ends(), "delivered failed");
}

TEST_F(SendWebhookTest, of_an_account_that_is_deleted_tells_nobody) {
  const Uuid type = event_type();
  read({sent(type, someone_)});
  admin_.run(
      "UPDATE account SET state = 'suspended', delete_at = now() - interval '1 hour', "
      "state_on_restore = 'active', deletion_step_at = now()");
  admin_.run("DELETE FROM webhook_delivery");
  EXPECT_EQ(ends(), "");
}

TEST_F(SendWebhookTest, disables_an_endpoint_that_failed_for_three_days_and_never_pauses_it) {
  const Uuid type = event_type();
  read({sent(type, someone_)});
  end(take().at(0), 500);
  admin_.run("UPDATE webhook SET failing_since = now() - interval '71 hours'");
  make_due();
  end(take().at(0), 500);
  EXPECT_EQ(state(type), "enabled - true");
  admin_.run("UPDATE webhook SET failing_since = now() - interval '73 hours'");
  make_due();
  end(take().at(0), 500);
  EXPECT_EQ(state(type), "disabled failing true");
  EXPECT_EQ(ends(), "");
  refuse_all();
  EXPECT_EQ(ends(), "failed");
}

TEST_F(SendWebhookTest, follows_the_changes_of_its_event_type) {
  const Uuid type = event_type();
  const auto columns = [&] {
    return text(
        "SELECT ROW(url, headers, signing_secret, previous_signing_secret, previous_valid_until, "
        "event_type, failing_since IS NULL) FROM webhook");
  };
  const auto of_type = [&] {
    return text(
        "SELECT ROW(t.url, t.headers, t.signing_secret, t.previous_signing_secret, "
        "t.previous_valid_until, t.name, w.failing_since IS NULL) FROM event_type t, webhook w");
  };
  EXPECT_EQ(columns(), of_type());
  admin_.run(
      "UPDATE webhook SET failing_since = now(); UPDATE event_type SET name = 'New', "
      "signing_secret = '\\x01', previous_signing_secret = '\\x02', previous_valid_until = now(), "
      "headers = '[1]'");
  EXPECT_EQ(columns(), of_type());
  EXPECT_EQ(state(type), "enabled - true");
  admin_.run("UPDATE event_type SET url = 'https://new.example/'");
  EXPECT_EQ(columns(), of_type());
  EXPECT_EQ(state(type), "enabled - false");
}

// Events for endpoints that are disabled or deleted must be read, too.
TEST_F(SendWebhookTest, is_read_for_every_account_with_workflows) {
  event_type();
  const auto kinds = [&] {
    return text(
        "SELECT string_agg(coalesce(kinds::text, 'all'), ' ' ORDER BY kinds) FROM reader_account "
        "WHERE reader = 'webhooks'");
  };
  EXPECT_EQ(kinds(), "");
  admin_.run(
      std::format("INSERT INTO engine_interest VALUES ({}, 1, '{{purchase.created}}')", account_));
  EXPECT_EQ(kinds(), "{send-webhook}");
  endpoint();
  EXPECT_EQ(kinds(), "{send-webhook} all");
}

}  // namespace
}  // namespace shopbell::webhooks
