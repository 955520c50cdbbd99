#include "resources/webhooks/deliveries_api.h"

#include "http/answer.h"
#include "http/conditions.h"
#include "http/page.h"
#include "http/write.h"
#include "resources/webhooks/webhook_json.h"
#include "resources/webhooks/webhook_store.h"
#include "resources/webhooks/webhooks_api.h"

namespace shopbell::webhooks {

namespace {

using Answer = boost::asio::awaitable<http::Response>;

// It will be sent: nothing of it has happened yet.
http::Response promise_of(const ShownDelivery& delivery,
                          const json::Reading& reading = json::Reading{}) {
  http::Response response = http::resource_answer(delivery_json(), delivery, "", reading);
  response.status = 202;
  return response;
}

Answer list(http::Call call) {
  const http::PageWish wish = http::read_page_wish(call);
  DeliveryListing listing{.webhook = call.path("id"),
                          .after = wish.after,
                          .ascending = wish.ascending,
                          .limit = wish.limit + 1};  // one more, to see whether there is more
  if (const auto status = call.parameter("status")) listing.status = *status;
  const auto found = co_await list_deliveries(call.database(), call.scope(), std::move(listing));
  if (!found) throw missing_webhook();
  co_return http::page_answer<ShownDelivery>(
      call, wish, delivery_json(), *found,
      [](const ShownDelivery& delivery) { return std::to_string(delivery.place); });
}

Answer try_out(http::Call call) {
  pg::Group reads;
  read_webhook(reads, call.account(), call.path("id"));
  read_trials(reads, call.account(), call.path("id"));
  co_return co_await http::write(
      call, std::move(reads), [call](const http::Premises& premises, pg::Group& effect) {
        const Webhook webhook = existing(premises.results[0]);
        if (!webhook.is_enabled())
          throw Problem{Code::webhook_not_enabled, "The webhook is " + webhook.status + "."};
        return promise_of(
            add_trial(effect, call.account(), webhook, premises.results[1], premises.now));
      });
}

Answer redeliver(http::Call call) {
  json::Reading reading = call.reading();
  Redelivery wish;
  redelivery_json().read_new(call.body(), reading).apply_to(wish);
  reading.finish();
  pg::Group reads;
  read_webhook(reads, call.account(), call.path("id"));
  read_delivery(reads, call.account(), call.path("id"), wish.id);
  co_return co_await http::write(
      call, std::move(reads), [call, reading](const http::Premises& premises, pg::Group& effect) {
        const Webhook webhook = existing(premises.results[0]);
        const auto found = found_delivery(premises.results[1]);
        if (!found) throw Problem{Code::not_found, "The webhook was told of no event of that id."};
        return promise_of(send_again(effect, call.account(), webhook, *found, premises.now),
                          reading);
      });
}

Answer replay(http::Call call) {
  json::Reading reading = call.reading();
  Period period;
  replay_json().read_new(call.body(), reading).apply_to(period);
  if (reading.fault_count() == 0) {
    if (period.to <= period.from)
      reading.refuse_at("to", "conflicts-with", "Must be later than `from`.");
    if (period.to > call.clock().now())
      reading.refuse_at("to", "out-of-range", "Must not be in the future.");
  }
  reading.finish();
  pg::Group reads;
  read_webhook(reads, call.account(), call.path("id"));
  co_return co_await http::write(
      call, std::move(reads),
      [call, period, reading](const http::Premises& premises, pg::Group& effect) {
        Webhook webhook = existing(premises.results[0]);
        http::check_conditions(call, tag_of(webhook));
        if (webhook.replay)
          throw Problem{Code::replay_in_progress, "The webhook is being sent what it was told."};
        webhook.replay = period;
        webhook.updated_at = premises.now;
        start_replay(effect, call.account(), webhook);
        ++webhook.version;
        http::Response response =
            http::resource_answer(webhook_json(), webhook, tag_of(webhook), reading);
        response.status = 202;
        return response;
      });
}

http::Operation delivery_operation(std::string id, std::string summary, std::string description) {
  http::Operation described = operation(std::move(id), std::move(summary), std::move(description));
  described.answer_name = delivery_json().name();
  described.answer = delivery_json().answer_schema();
  described.versioned = false;
  return described;
}

http::Operation list_operation() {
  http::Operation described = delivery_operation(
      "listWebhookDeliveries", "List what a webhook is told",
      "Newest first: what was sent, what is on its way, what failed. Kept for 30 days.");
  described.parameters = http::page_parameters(
      {{"status",
        "Only deliveries of this status.",
        {.type = "string", .options = {"waiting", "sending", "delivered", "failed"}}}});
  described.answer_name = "WebhookDeliveryPage";
  described.answer = http::page_schema(delivery_json().name());
  described.problems = {Code::not_found, Code::invalid_cursor};
  return described;
}

http::Operation try_operation() {
  http::Operation described =
      delivery_operation("testWebhook", "Try a webhook",
                         "Sends it an event of kind `webhook.test`, which tells nothing.");
  described.success = 202;
  described.problems = {Code::not_found, Code::webhook_not_enabled};
  return described;
}

http::Operation redeliver_operation() {
  http::Operation described = delivery_operation(
      "redeliverWebhook", "Send an event again",
      "Under the id and the sequence it had. One that still waits for its time is sent now.");
  described.success = 202;
  described.body = http::Body{.name = redelivery_json().name(),
                              .schema = redelivery_json().new_schema(),
                              .example = redelivery_json().example()};
  return described;
}

http::Operation replay_operation() {
  http::Operation described =
      operation("replayWebhook", "Send the events of a time again",
                "Whatever the webhook was told of, received in that time and not older than 30 "
                "days: each under the id and the sequence it had.");
  described.success = 202;
  described.body = http::Body{.name = replay_json().name(),
                              .schema = replay_json().new_schema(),
                              .example = replay_json().example()};
  described.problems = {Code::not_found, Code::replay_in_progress};
  return described;
}

}  // namespace

std::vector<http::Route> delivery_routes() {
  const auto read = http::Access::scope("manage-webhooks:read");
  const auto write = http::Access::scope("manage-webhooks:write");
  const std::string one = "/manage/webhooks/{id}";
  using http::Method;
  return {{Method::get, one + "/deliveries", read, list, list_operation()},
          {Method::post, one + "/test", write, try_out, try_operation()},
          {Method::post, one + "/redeliver", write, redeliver, redeliver_operation()},
          {Method::post, one + "/replay", write, replay, replay_operation()}};
}

}  // namespace shopbell::webhooks
