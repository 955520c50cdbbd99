#include "resources/webhooks/deliveries_operations.h"

#include "events/event_kinds.h"
#include "operations/conditions.h"
#include "operations/output.h"
#include "operations/page.h"
#include "operations/write.h"
#include "resources/webhooks/webhook_json.h"
#include "resources/webhooks/webhook_store.h"
#include "resources/webhooks/webhooks_operations.h"

namespace shopbell::webhooks {

namespace {

using Answer = boost::asio::awaitable<operations::Output>;

// Responds with 202: the delivery is queued, but not sent yet.
operations::Output accepted_output(const ShownDelivery& delivery,
                                   const json::Reading& reading = json::Reading{}) {
  operations::Output output = operations::resource_output(delivery_json(), delivery, "", reading);
  output.outcome = operations::Outcome::accepted;
  return output;
}

Answer list(operations::Input input) {
  const operations::PageRequest wish = operations::read_page_request(input);
  DeliveryListing listing{.webhook = input.path("id"),
                          .after = wish.after,
                          .ascending = wish.ascending,
                          .limit = wish.limit + 1};  // one more row shows that another page follows
  if (const auto status = input.parameter("status")) listing.status = *status;
  const auto found = co_await list_deliveries(input.database(), input.scope(), std::move(listing));
  if (!found) throw missing_webhook();
  require_readable(input, found->webhook.kinds);
  co_return operations::page_output<ShownDelivery>(
      input, wish, delivery_json(), found->deliveries,
      [](const ShownDelivery& delivery) { return std::to_string(delivery.place); });
}

Answer send_test(operations::Input input) {
  pg::Group reads;
  read_webhook(reads, input.account(), input.path("id"));
  read_trials(reads, input.account(), input.path("id"));
  co_return co_await operations::write(
      input, std::move(reads), [input](const operations::Premises& premises, pg::Group& effect) {
        const Webhook webhook = existing(premises.results[0]);
        require_readable(input, webhook.kinds);
        if (!webhook.is_enabled())
          throw Problem{Code::webhook_not_enabled,
                        "The webhook is " + webhook.status + ". Enable it first."};
        return accepted_output(
            add_trial(effect, input.account(), webhook, premises.results[1], premises.now));
      });
}

Answer redeliver(operations::Input input) {
  json::Reading reading = input.reading();
  Redelivery wish;
  redelivery_json().read_new(input.body(), reading).apply_to(wish);
  reading.finish();
  pg::Group reads;
  read_webhook(reads, input.account(), input.path("id"));
  read_delivery(reads, input.account(), input.path("id"), wish.id);
  co_return co_await operations::write(
      input, std::move(reads),
      [input, reading](const operations::Premises& premises, pg::Group& effect) {
        const Webhook webhook = existing(premises.results[0]);
        const auto found = found_delivery(premises.results[1]);
        if (!found) throw Problem{Code::not_found, "The webhook has no delivery with that id."};
        require_readable(input, webhook.kinds);
        require_readable(input, {found->delivery.kind});
        return accepted_output(send_again(effect, input.account(), webhook, *found, premises.now),
                               reading);
      });
}

Answer replay(operations::Input input) {
  json::Reading reading = input.reading();
  Period period;
  replay_json().read_new(input.body(), reading).apply_to(period);
  if (reading.fault_count() == 0) {
    if (period.to <= period.from)
      reading.refuse_at("to", "conflicts-with", "Must be later than `from`.");
    if (period.to > input.clock().now())
      reading.refuse_at("to", "out-of-range", "Must not be in the future.");
  }
  reading.finish();
  pg::Group reads;
  read_webhook(reads, input.account(), input.path("id"));
  co_return co_await operations::write(
      input, std::move(reads),
      [input, period, reading](const operations::Premises& premises, pg::Group& effect) {
        Webhook webhook = existing(premises.results[0]);
        require_readable(input, webhook.kinds);
        operations::check_conditions(input, tag_of(webhook));
        if (webhook.replay)
          throw Problem{Code::replay_in_progress, "A replay of this webhook is still in progress."};
        webhook.replay = period;
        webhook.updated_at = premises.now;
        start_replay(effect, input.account(), webhook);
        ++webhook.version;
        operations::Output output =
            operations::resource_output(webhook_json(), webhook, tag_of(webhook), reading);
        output.outcome = operations::Outcome::accepted;
        return output;
      });
}

operations::ResourceOperations delivery_operations() {
  auto delivery = webhook_operations().with_answer(delivery_json());
  delivery.resource = delivery.answer_name;
  delivery.versioned = false;
  delivery.nested = true;
  return delivery;
}

}  // namespace

std::vector<operations::Operation> delivery_routes() {
  using operations::Method;
  const auto read = operations::Access::scope("manage-webhooks:read");
  const auto write = operations::Access::scope("manage-webhooks:write");
  const std::string one = "/manage/webhooks/{id}";
  const auto delivery = delivery_operations();
  const std::vector<std::string> scopes = events::read_scopes({});
  operations::Description listed = delivery.list(
      "listWebhookDeliveries", "List deliveries of a webhook",
      "Newest first: delivered, pending and failed deliveries. They are kept for 30 days. Needs "
      "the read scope of each kind of event.",
      {{"status",
        "Only deliveries of this status.",
        {.type = "string", .options = {"waiting", "sending", "delivered", "failed"}}}});
  listed.further_scopes = scopes;
  return {
      {Method::get, one + "/deliveries", read, list, std::move(listed)},
      {Method::post, one + "/test", write, send_test,
       delivery.enqueue("testWebhook", "Test a webhook",
                        "Sends a test event of kind `webhook.test`, without data.",
                        {.problems = {Code::webhook_not_enabled}, .further_scopes = scopes})},
      {Method::post, one + "/redeliver", write, redeliver,
       delivery.enqueue(
           "redeliverWebhook", "Redeliver an event",
           "Sends the event again with its original id and sequence. A delivery that "
           "waits for its next attempt is sent now.",
           {.body = operations::body_of(redelivery_json()), .further_scopes = scopes})},
      {Method::post, one + "/replay", write, replay,
       webhook_operations().enqueue(
           "replayWebhook", "Replay the events of a period",
           "Sends again all deliveries whose events were received in that period, up to 30 days "
           "old. Each keeps its id and sequence.",
           {.body = operations::body_of(replay_json()),
            .problems = {Code::replay_in_progress},
            .further_scopes = scopes})}};
}

}  // namespace shopbell::webhooks
