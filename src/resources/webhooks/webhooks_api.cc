#include "resources/webhooks/webhooks_api.h"

#include <format>

#include "base/limits.h"
#include "http/answer.h"
#include "http/conditions.h"
#include "http/page.h"
#include "http/write.h"
#include "outgoing/signing_secret.h"
#include "outgoing/target.h"
#include "resources/webhooks/deliveries_api.h"
#include "resources/webhooks/webhook_json.h"
#include "resources/webhooks/webhook_store.h"

namespace shopbell::webhooks {

namespace {

using Answer = boost::asio::awaitable<http::Response>;

http::Response answer_of(const Webhook& webhook, const json::Reading& reading = json::Reading{}) {
  return http::resource_answer(webhook_json(), webhook, tag_of(webhook), reading);
}

Answer list(http::Call call) {
  const http::PageWish wish = http::read_page_wish(call);
  const auto webhooks = co_await list_webhooks(call.database(), call.scope(), wish.after,
                                               wish.ascending, wish.limit + 1);
  co_return http::page_answer<Webhook>(
      call, wish, webhook_json(), webhooks,
      [](const Webhook& webhook) { return webhook.id.to_string(); });
}

http::Response insert(const http::Call& call, Webhook webhook, const json::Reading& reading,
                      pg::Group& effect) {
  webhook.signing_secret = outgoing::new_signing_secret();
  outgoing::seal_headers(call.keyring(), call.account(), webhook.id, webhook.headers);
  insert_webhook(effect, call.account(), webhook,
                 call.keyring().seal(*webhook.signing_secret,
                                     outgoing::secret_context(call.account(), webhook.id)));
  http::Response response =
      http::resource_answer(created_webhook_json(), webhook, tag_of(webhook), reading);
  response.status = 201;
  response.headers.emplace_back(
      "Location", std::format("{}/manage/webhooks/{}", call.base_path(), webhook.id.to_string()));
  return response;
}

Answer create(http::Call call, net::OutsideRules outside) {
  json::Reading reading = call.reading();
  Webhook webhook;
  webhook_json().read_new(call.body(), reading).apply_to(webhook);
  settle_status({}, webhook);
  outgoing::settle_headers(reading, {}, webhook.headers);
  if (!webhook.url.empty()) outgoing::check_url(reading, webhook.url, outside);
  reading.finish();
  call.require_scope(outgoing::kScope);
  pg::Group reads;
  read_webhook_count(reads, call.account());
  co_return co_await http::write(
      call, std::move(reads),
      [call, webhook, reading](const http::Premises& premises, pg::Group& effect) {
        http::check_conditions(call, std::nullopt);
        if (found_webhook_count(premises.results[0]) >= limits::kWebhooks)
          throw Problem{Code::limit_reached,
                        std::format("An account has at most {} webhooks.", limits::kWebhooks)};
        Webhook made = webhook;
        made.id = Uuid::v7(premises.now);
        made.created_at = made.updated_at = premises.now;
        return insert(call, std::move(made), reading, effect);
      });
}

Answer get(http::Call call) {
  pg::Group reads;
  read_webhook(reads, call.account(), call.path("id"));
  const pg::Results found = co_await call.database().run(std::move(reads), call.scope());
  co_return answer_of(existing(found[0]));
}

Answer change(http::Call call, net::OutsideRules outside) {
  json::Reading reading = call.reading();
  const auto changes = webhook_json().read_patch(call.body(), reading);
  reading.finish();
  pg::Group reads;
  read_webhook(reads, call.account(), call.path("id"));
  co_return co_await http::write(
      call, std::move(reads),
      [call, changes, reading, outside](const http::Premises& premises, pg::Group& effect) {
        const Webhook before = existing(premises.results[0]);
        http::check_conditions(call, tag_of(before));
        json::Reading judged = reading;
        Webhook after = before;
        changes.apply_to(after);
        settle_status(before, after);
        if (changes.names("headers"))
          outgoing::settle_headers(judged, before.headers, after.headers);
        const bool moved = after.url != before.url;
        if (moved) outgoing::check_url(judged, after.url, outside);
        judged.finish();
        const bool other_headers = outgoing::differ(before.headers, after.headers);
        if (moved || other_headers) call.require_scope(outgoing::kScope);
        if (!other_headers && webhook_json().to_json(after) == webhook_json().to_json(before))
          return answer_of(before, judged);
        outgoing::seal_headers(call.keyring(), call.account(), after.id, after.headers);
        after.updated_at = premises.now;
        update_webhook(effect, call.account(), after);
        ++after.version;
        return answer_of(after, judged);
      });
}

Answer remove(http::Call call) {
  pg::Group reads;
  read_webhook(reads, call.account(), call.path("id"));
  co_return co_await http::write(call, std::move(reads),
                                 [call](const http::Premises& premises, pg::Group& effect) {
                                   const Webhook webhook = existing(premises.results[0]);
                                   http::check_conditions(call, tag_of(webhook));
                                   delete_webhook(effect, call.account(), webhook);
                                   return http::Response{.status = 204};
                                 });
}

Answer rotate(http::Call call) {
  call.require_scope(outgoing::kScope);
  pg::Group reads;
  read_webhook(reads, call.account(), call.path("id"));
  co_return co_await http::write(
      call, std::move(reads), [call](const http::Premises& premises, pg::Group& effect) {
        Webhook webhook = existing(premises.results[0]);
        http::check_conditions(call, tag_of(webhook));
        webhook.signing_secret = outgoing::new_signing_secret();
        webhook.updated_at = premises.now;
        rotate_secret(effect, call.account(), webhook,
                      call.keyring().seal(*webhook.signing_secret,
                                          outgoing::secret_context(call.account(), webhook.id)));
        ++webhook.version;
        return http::resource_answer(created_webhook_json(), webhook, tag_of(webhook));
      });
}

http::Operation list_operation() {
  http::Operation described = operation("listWebhooks", "List webhooks", "Newest first.");
  described.parameters = http::page_parameters();
  described.answer_name = "WebhookPage";
  described.answer = http::page_schema(webhook_json().name());
  described.versioned = false;
  described.problems = {Code::invalid_cursor};
  return described;
}

http::Operation create_operation() {
  http::Operation described =
      operation("createWebhook", "Create a webhook",
                "It is told what happens from now on. The answer shows its signing secret, once.");
  described.success = 201;
  described.body = http::Body{.name = "NewWebhook",
                              .schema = webhook_json().new_schema(),
                              .example = webhook_json().example()};
  described.answer_name = created_webhook_json().name();
  described.answer = created_webhook_json().answer_schema();
  described.problems = {Code::limit_reached};
  described.further_scopes = {std::string{outgoing::kScope}};
  return described;
}

http::Operation change_operation() {
  http::Operation described = operation(
      "changeWebhook", "Change a webhook",
      "What is on its way goes to the new address. Enabling it sends what it waited for.");
  described.body = http::Body{.name = "WebhookPatch",
                              .schema = webhook_json().patch_schema(),
                              .example = R"({"status":"paused"})"};
  described.further_scopes = {std::string{outgoing::kScope}};
  return described;
}

http::Operation delete_operation() {
  http::Operation described = operation(
      "deleteWebhook", "Delete a webhook",
      "With all it was told and was to be told. To keep that, set its status to `disabled`.");
  described.success = 204;
  described.answer_name.clear();
  return described;
}

http::Operation rotate_operation() {
  http::Operation described =
      operation("rotateWebhookSecret", "Rotate the signing secret of a webhook",
                "The answer shows the new one, once. For 24 hours what is sent is signed by both.");
  described.answer_name = created_webhook_json().name();
  described.answer = created_webhook_json().answer_schema();
  described.further_scopes = {std::string{outgoing::kScope}};
  return described;
}

}  // namespace

std::string tag_of(const Webhook& webhook) {
  static const std::string shape = http::shape_of(webhook_json().schema());
  return http::version_tag(webhook.created_at, webhook.version, shape);
}

Problem missing_webhook() { return Problem{Code::not_found, "There is no such webhook."}; }

Webhook existing(const pg::Result& result) {
  auto webhook = found_webhook(result);
  if (!webhook) throw missing_webhook();
  return std::move(*webhook);
}

http::Operation operation(std::string id, std::string summary, std::string description) {
  return {.id = std::move(id),
          .tag = "Webhooks",
          .tag_description = "Addresses of the store's own that are told what happens.",
          .summary = std::move(summary),
          .description = std::move(description),
          .answer_name = webhook_json().name(),
          .answer = webhook_json().answer_schema(),
          .versioned = true,
          .problems = {Code::not_found}};
}

std::vector<http::Route> routes(const net::OutsideRules& outside) {
  const auto read = http::Access::scope("manage-webhooks:read");
  const auto write = http::Access::scope("manage-webhooks:write");
  const auto end = http::Access::scope("manage-webhooks:delete");
  const std::string all = "/manage/webhooks/";
  const std::string one = all + "{id}";
  using http::Method;
  std::vector<http::Route> table{
      {Method::get, all, read, list, list_operation()},
      {Method::post, all, write, [outside](http::Call call) { return create(call, outside); },
       create_operation()},
      {Method::get, one, read, get, operation("getWebhook", "Get a webhook", "By its id.")},
      {Method::patch, one, write, [outside](http::Call call) { return change(call, outside); },
       change_operation()},
      {Method::delete_, one, end, remove, delete_operation()},
      {Method::post, one + "/rotate-secret", write, rotate, rotate_operation()}};
  std::ranges::move(delivery_routes(), std::back_inserter(table));
  return table;
}

}  // namespace shopbell::webhooks
