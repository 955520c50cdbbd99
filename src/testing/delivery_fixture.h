// DeliveryFixture: a database with one account, its webhooks, and the reader and sender of their
// deliveries, for *_pgtest.cc.
#pragma once

#include <format>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "outgoing/signing_secret.h"
#include "resources/store/accounts.h"
#include "resources/webhooks/delivery.h"
#include "resources/webhooks/due_endpoints.h"
#include "resources/webhooks/webhook_reader.h"
#include "testing/database.h"

namespace shopbell::webhooks {

class DeliveryFixture : public ::testing::Test {
 protected:
  template <class T>
  T run(boost::asio::awaitable<T> work) {
    return runtime::run_to_end(database_.loop, std::move(work));
  }
  void run(boost::asio::awaitable<void> work) {
    runtime::run_to_end(database_.loop, std::move(work));
  }

  Uuid endpoint(const std::string& kinds = "{}", const std::string& state = "enabled") {
    const Uuid id = Uuid::v7(system_clock().now());
    const auto sealed = keyring_.seal("whsec_Zm9vYmFy", outgoing::secret_context(account_, id));
    admin_.run(std::format(
        "INSERT INTO webhook (account_id, webhook_id, url, kinds, signing_secret, state, reason, "
        "created_at, updated_at) VALUES ({}, '{}', 'https://shop.example/{}', '{}', '\\x{}', "
        "'{}', {}, now(), now())",
        account_, id.to_string(), id.to_string(), kinds, to_hex(sealed), state,
        state == "enabled" ? "NULL" : "'requested'"));
    return id;
  }

  // Inserts an event, and returns the log entry that the reader gets for it.
  event_log::Entry event(const std::string& kind,
                         const std::optional<Uuid>& contact = std::nullopt) {
    const event_log::Entry entry{
        .account = account_,
        .id = ++last_id_,
        .uid = Uuid::v7(system_clock().now()),
        .lane = static_cast<std::int16_t>(contact ? 7 : 9),
        .contact_id = contact,
        .kind = kind,
        .received_at = std::chrono::floor<std::chrono::microseconds>(system_clock().now())};
    admin_.run(std::format(
        "INSERT INTO event (account_id, received_at, id, uid, lane, contact_id, kind, format, "
        "occurred_at, trigger, hops, source, payload) OVERRIDING SYSTEM VALUE VALUES ({}, '{}', "
        "{}, '{}', {}, {}, '{}', 1, now(), 'all', 0, 'test', '{{\"n\":{}}}')",
        account_, to_rfc3339_exactly(entry.received_at), entry.id, entry.uid.to_string(),
        entry.lane, contact ? std::format("'{}'", contact->to_string()) : "NULL", kind, entry.id));
    return entry;
  }
  void read(std::vector<event_log::Entry> entries) {
    pg::Group effect;
    webhook_reader([] {}).effect(entries, effect);
    if (!effect.empty()) run(worker_->run(std::move(effect), {}));
  }

  std::vector<DueEndpoint> due_endpoints() {
    DueEndpoints endpoints;
    endpoints.add(run(find_due_endpoints(*worker_, kAnyTime)), runtime::Steady::now());
    Load load;
    return endpoints.for_poll(load, runtime::Steady::now());
  }
  std::vector<Delivery> take(std::size_t most = 100, const Load& load = {}) {
    return run(take_due(*worker_, keyring_, due_endpoints(), load, most));
  }
  static Outcome outcome(const Delivery& delivery, int status,
                         std::optional<std::chrono::milliseconds> rest = std::nullopt) {
    net::Answer answer{.status = status, .headers = {}, .body = ""};
    if (rest)
      answer.headers.emplace_back(
          "Retry-After",
          std::to_string(std::chrono::duration_cast<std::chrono::seconds>(*rest).count()));
    return evaluate(delivery, answer, system_clock().now());
  }
  void end(const Delivery& delivery, int status) {
    run(settle(*worker_, std::array{outcome(delivery, status)}));
  }

  std::string text(const std::string& sql) {
    return admin_.query(std::format("SELECT coalesce(({})::text, '') AS it", sql))[0].text("it");
  }
  // Returns the states of an endpoint's deliveries, such as "1 delivered, 2 due, 3 held".
  std::string states(const Uuid& webhook) {
    return text(
        std::format("SELECT string_agg(sequence || ' ' || state, ', ' ORDER BY lane, "
                    "contact_id, sequence) FROM webhook_delivery WHERE webhook_id = '{}'",
                    webhook.to_string()));
  }
  std::string state(const Uuid& webhook) {
    return text(
        std::format("SELECT state || ' ' || coalesce(reason, '-') || ' ' || "
                    "(failing_since IS NOT NULL) FROM webhook WHERE webhook_id = '{}'",
                    webhook.to_string()));
  }
  void make_due() {
    admin_.run(
        "UPDATE webhook_delivery SET due_at = now() - interval '1 second' WHERE due_at IS "
        "NOT NULL; UPDATE webhook_queue SET next_due_at = now() - interval '1 second'");
  }

  shopbell::testing::TestDatabase database_;
  pg::Script admin_{database_.admin_url()};
  std::unique_ptr<pg::Pool> worker_ = database_.pool(database_.worker_url());
  std::unique_ptr<pg::Pool> api_ = database_.pool(database_.api_url());
  keyring::Keyring keyring_ = database_.keyring();
  std::int64_t account_ =
      runtime::run_to_end(database_.loop,
                          store::create_account(*worker_, {}, {.name = "Bell", .currency = "EUR"},
                                                system_clock().now()))
          .live;
  const Uuid someone_ = Uuid::v7(system_clock().now());
  const Uuid another_ = Uuid::v7(system_clock().now());
  std::int64_t last_id_ = 0;
};

}  // namespace shopbell::webhooks
