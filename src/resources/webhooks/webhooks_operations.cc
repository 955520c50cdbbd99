#include "resources/webhooks/webhooks_operations.h"

#include <format>
#include <set>

#include "base/limits.h"
#include "events/event_kinds.h"
#include "operations/conditions.h"
#include "operations/output.h"
#include "operations/page.h"
#include "operations/write.h"
#include "outgoing/signing_secret.h"
#include "outgoing/target.h"
#include "resources/webhooks/deliveries_operations.h"
#include "resources/webhooks/webhook_json.h"
#include "resources/webhooks/webhook_store.h"

namespace shopbell::webhooks {

namespace {

using Answer = boost::asio::awaitable<operations::Output>;

operations::Output answer_of(const Webhook& webhook,
                             const json::Reading& reading = json::Reading{}) {
  return operations::resource_output(webhook_json(), webhook, tag_of(webhook), reading);
}

Answer list(operations::Input input) {
  const operations::PageRequest wish = operations::read_page_request(input);
  const auto webhooks = co_await list_webhooks(input.database(), input.scope(), wish.after,
                                               wish.ascending, wish.limit + 1);
  co_return operations::page_output<Webhook>(
      input, wish, webhook_json(), webhooks,
      [](const Webhook& webhook) { return webhook.id.to_string(); });
}

operations::Output insert(const operations::Input& input, Webhook webhook,
                          const json::Reading& reading, pg::Group& effect) {
  webhook.signing_secret = outgoing::new_signing_secret();
  outgoing::seal_headers(input.keyring(), input.account(), webhook.id, webhook.headers);
  insert_webhook(effect, input.account(), webhook,
                 input.keyring().seal(*webhook.signing_secret,
                                      outgoing::secret_context(input.account(), webhook.id)));
  operations::Output output =
      operations::resource_output(created_webhook_json(), webhook, tag_of(webhook), reading);
  return operations::created(input, std::move(output),
                             std::format("/manage/webhooks/{}", webhook.id.to_string()));
}

Answer create(operations::Input input, net::OutsideRules outside) {
  json::Reading reading = input.reading();
  Webhook webhook;
  webhook_json().read_new(input.body(), reading).apply_to(webhook);
  settle_status({}, webhook);
  outgoing::settle_headers(reading, {}, webhook.headers);
  if (!webhook.url.empty()) outgoing::check_url(reading, webhook.url, outside);
  reading.finish();
  input.require_scope(outgoing::kScope);
  require_readable(input, webhook.kinds);
  pg::Group reads;
  read_webhook_count(reads, input.account());
  co_return co_await operations::write(
      input, std::move(reads),
      [input, webhook, reading](const operations::Premises& premises, pg::Group& effect) {
        operations::check_conditions(input, std::nullopt);
        if (found_webhook_count(premises.results[0]) >= limits::kWebhooks)
          throw Problem{Code::limit_reached,
                        std::format("An account can have at most {} webhooks. Delete one "
                                    "first.",
                                    limits::kWebhooks)};
        Webhook made = webhook;
        made.id = Uuid::v7(premises.now);
        made.created_at = made.updated_at = premises.now;
        return insert(input, std::move(made), reading, effect);
      });
}

Answer get(operations::Input input) {
  pg::Group reads;
  read_webhook(reads, input.account(), input.path("id"));
  const pg::Results found = co_await input.database().run(std::move(reads), input.scope());
  co_return answer_of(existing(found[0]));
}

Answer change(operations::Input input, net::OutsideRules outside) {
  json::Reading reading = input.reading();
  const auto changes = webhook_json().read_patch(input.body(), reading);
  reading.finish();
  pg::Group reads;
  read_webhook(reads, input.account(), input.path("id"));
  co_return co_await operations::write(
      input, std::move(reads),
      [input, changes, reading, outside](const operations::Premises& premises, pg::Group& effect) {
        const Webhook before = existing(premises.results[0]);
        operations::check_conditions(input, tag_of(before));
        json::Reading checked = reading;
        Webhook after = before;
        changes.apply_to(after);
        settle_status(before, after);
        outgoing::settle_moved_headers(checked, before.url, after.url, before.headers,
                                       after.headers, changes.names("headers"));
        const bool moved = after.url != before.url;
        if (moved) outgoing::check_url(checked, after.url, outside);
        const bool other_headers = outgoing::differ(before.headers, after.headers);
        if (moved || other_headers) input.require_scope(outgoing::kScope);
        // Stored deliveries of the previous kinds go to the new URL, too.
        if (moved || other_headers || after.kinds != before.kinds) {
          require_readable(input, before.kinds);
          require_readable(input, after.kinds);
        }
        checked.finish();
        if (!other_headers && webhook_json().to_json(after) == webhook_json().to_json(before))
          return answer_of(before, checked);
        outgoing::seal_headers(input.keyring(), input.account(), after.id, after.headers);
        after.updated_at = premises.now;
        update_webhook(effect, input.account(), after);
        ++after.version;
        return answer_of(after, checked);
      });
}

Answer remove(operations::Input input) {
  pg::Group reads;
  read_webhook(reads, input.account(), input.path("id"));
  co_return co_await operations::write(
      input, std::move(reads), [input](const operations::Premises& premises, pg::Group& effect) {
        const Webhook webhook = existing(premises.results[0]);
        operations::check_conditions(input, tag_of(webhook));
        delete_webhook(effect, input.account(), webhook);
        return operations::Output::no_content();
      });
}

Answer rotate(operations::Input input) {
  input.require_scope(outgoing::kScope);
  pg::Group reads;
  read_webhook(reads, input.account(), input.path("id"));
  co_return co_await operations::write(
      input, std::move(reads), [input](const operations::Premises& premises, pg::Group& effect) {
        Webhook webhook = existing(premises.results[0]);
        require_readable(input, webhook.kinds);
        operations::check_conditions(input, tag_of(webhook));
        webhook.signing_secret = outgoing::new_signing_secret();
        webhook.updated_at = premises.now;
        rotate_secret(effect, input.account(), webhook,
                      input.keyring().seal(*webhook.signing_secret,
                                           outgoing::secret_context(input.account(), webhook.id)));
        ++webhook.version;
        return operations::resource_output(created_webhook_json(), webhook, tag_of(webhook));
      });
}

}  // namespace

std::string tag_of(const Webhook& webhook) {
  static const std::string shape = operations::shape_of(webhook_json().schema());
  return operations::version_tag(webhook.created_at, webhook.version, shape);
}

Problem missing_webhook() { return Problem{Code::not_found, "The webhook does not exist."}; }

Webhook existing(const pg::Result& result) {
  auto webhook = found_webhook(result);
  if (!webhook) throw missing_webhook();
  return std::move(*webhook);
}

void require_readable(const operations::Input& input, const std::vector<std::string>& kinds) {
  std::vector<Fault> faults;
  std::set<std::string> missing;
  const auto check = [&](std::span<const std::string> of, std::string pointer) {
    for (const auto& scope : events::read_scopes(of)) {
      if (input.caller().may(scope)) continue;
      missing.insert(scope);
      faults.push_back({Fault::Where::pointer, pointer, "not-an-option",
                        std::format("The events need the scope {}, which the key lacks.", scope)});
    }
  };
  if (kinds.empty()) check({}, "/kinds");
  for (std::size_t i = 0; i < kinds.size(); ++i) check({&kinds[i], 1}, std::format("/kinds/{}", i));
  if (faults.empty()) return;
  std::string names;
  for (const auto& scope : missing) names += (names.empty() ? "" : ", ") + scope;
  throw Problem{Code::scope_missing,
                std::format("The key may not read the events of the webhook. It lacks {}.", names),
                std::move(faults)};
}

std::vector<std::string> delivery_scopes() {
  std::vector<std::string> scopes = events::read_scopes({});
  scopes.emplace_back(outgoing::kScope);
  return scopes;
}

operations::ResourceOperations webhook_operations() {
  return operations::ResourceOperations{
      .tag = "Webhooks",
      .tag_description = "Endpoints of the store that receive events.",
      .versioned = true}
      .with_answer(webhook_json());
}

std::vector<operations::Operation> operation_table(const net::OutsideRules& outside) {
  using operations::Method;
  const auto read = operations::Access::scope("manage-webhooks:read");
  const auto write = operations::Access::scope("manage-webhooks:write");
  const auto end = operations::Access::scope("manage-webhooks:delete");
  const std::string all = "/manage/webhooks/";
  const std::string one = all + "{id}";
  const std::vector<std::string> further_scopes = delivery_scopes();
  const auto webhook = webhook_operations();
  const auto webhook_with_secret = webhook.with_answer(created_webhook_json());
  std::vector<operations::Operation> table{
      {Method::get, all, read, list,
       webhook.list("listWebhooks", "List webhooks", "Newest first.")},
      {Method::post, all, write,
       [outside](operations::Input input) { return create(input, outside); },
       webhook_with_secret.create("createWebhook", "Create a webhook",
                                  "The webhook gets all events from now on. Only this response "
                                  "contains its signing secret. Needs the read scope of each "
                                  "kind of event.",
                                  {.body = operations::new_body(webhook_json()),
                                   .problems = {Code::limit_reached},
                                   .further_scopes = further_scopes})},
      {Method::get, one, read, get, webhook.get("getWebhook", "Get a webhook", "By its id.")},
      {Method::patch, one, write,
       [outside](operations::Input input) { return change(input, outside); },
       webhook.change("changeWebhook", "Change a webhook",
                      "Pending deliveries go to the new URL. Enabling a paused webhook sends the "
                      "events that it waited for.",
                      {.body = operations::patch_body(webhook_json(), R"({"status":"paused"})"),
                       .further_scopes = further_scopes})},
      {Method::delete_, one, end, remove,
       webhook.remove("deleteWebhook", "Delete a webhook",
                      "Deletes the webhook with all its deliveries. To keep them, set the status "
                      "to `disabled` instead.")},
      {Method::post, one + "/rotate-secret", write, rotate,
       webhook_with_secret.change("rotateWebhookSecret", "Rotate the signing secret of a webhook",
                                  "Only this response contains the new secret. For 24 hours "
                                  "requests are signed with both secrets.",
                                  {.further_scopes = further_scopes})}};
  std::ranges::move(delivery_routes(), std::back_inserter(table));
  return table;
}

}  // namespace shopbell::webhooks
