#include "resources/webhooks/webhook_store.h"

#include "base/limits.h"
#include "resources/webhooks/queries.h"

namespace shopbell::webhooks {

namespace {

std::optional<Period> replay_of(const pg::Row& row) {
  const auto from = row.maybe_instant("replay_from");
  if (!from) return std::nullopt;
  return Period{*from, row.instant("replay_to")};
}

Webhook webhook_of(const pg::Row& row) {
  return {.id = row.uuid("webhook_id"),
          .url = row.text("url"),
          .description = row.maybe_text("description"),
          .kinds = row.texts("kinds"),
          .headers = outgoing::headers_from_json(row.view("headers")),
          .status = row.text("state"),
          .reason = row.maybe_text("reason"),
          .failing_since = row.maybe_instant("failing_since"),
          .replay = replay_of(row),
          .created_at = row.instant("created_at"),
          .updated_at = row.instant("updated_at"),
          .version = row.integer("version")};
}

ShownDelivery delivery_of(const pg::Row& row) {
  const bool sent_now = row.find("sender").has_value();
  ShownDelivery delivery{.place = row.integer("id"),
                         .id = row.uuid("event_uid"),
                         .kind = row.text("kind"),
                         .sequence = row.integer("sequence"),
                         .attempts = row.integer("attempts"),
                         .received_at = row.instant("received_at"),
                         .ended_at = row.maybe_instant("ended_at"),
                         .answer_status = row.maybe_integer("status"),
                         .trouble = row.maybe_text("trouble")};
  if (const Uuid contact = row.uuid("contact_id"); contact != Uuid{}) delivery.contact_id = contact;
  if (delivery.has_ended()) {
    delivery.status = row.text("state");
  } else {
    delivery.status = sent_now ? "sending" : "waiting";
  }
  if (!sent_now) delivery.next_attempt_at = row.maybe_instant("due_at");
  return delivery;
}

}  // namespace

void read_webhook(pg::Group& reads, std::int64_t account, const std::string& id) {
  reads.add(sql::get_webhook, account, Uuid::parse(id));
}

std::optional<Webhook> found_webhook(const pg::Result& result) {
  return result.first().transform(webhook_of);
}

void read_webhook_count(pg::Group& reads, std::int64_t account) {
  reads.add(sql::count_webhooks, account);
}

std::int64_t found_webhook_count(const pg::Result& result) { return result[0].integer("webhooks"); }

void insert_webhook(pg::Group& effect, std::int64_t account, const Webhook& webhook,
                    const std::vector<std::uint8_t>& sealed_secret) {
  effect.add(sql::lock_store, account);  // serializes creates: the limit is exact
  effect.add(sql::require_room_for_webhook, account, limits::kWebhooks);
  effect.add(sql::insert_webhook, account, webhook.id, webhook.url, webhook.description,
             webhook.kinds, outgoing::headers_to_json(webhook.headers),
             std::span<const std::uint8_t>{sealed_secret}, webhook.status, webhook.reason,
             webhook.created_at);
}

void update_webhook(pg::Group& effect, std::int64_t account, const Webhook& webhook) {
  effect.add(sql::update_webhook, account, webhook.id, webhook.version, webhook.url,
             webhook.description, webhook.kinds, outgoing::headers_to_json(webhook.headers),
             webhook.status, webhook.reason, webhook.failing_since, webhook.updated_at);
}

void rotate_secret(pg::Group& effect, std::int64_t account, const Webhook& webhook,
                   const std::vector<std::uint8_t>& sealed_secret) {
  effect.add(sql::rotate_webhook_secret, account, webhook.id, webhook.version,
             std::span<const std::uint8_t>{sealed_secret},
             webhook.updated_at + limits::kPreviousSecretValid, webhook.updated_at);
}

void start_replay(pg::Group& effect, std::int64_t account, const Webhook& webhook) {
  effect.add(sql::start_replay, account, webhook.id, webhook.version, webhook.replay->from,
             webhook.replay->to, webhook.updated_at);
}

void delete_webhook(pg::Group& effect, std::int64_t account, const Webhook& webhook) {
  effect.add(sql::delete_webhook, account, webhook.id, webhook.version);
}

void set_endpoint_state(pg::Group& effect, std::int64_t account, const Uuid& event_type,
                        bool is_enabled, Instant now) {
  std::optional<std::string_view> reason;
  if (!is_enabled) reason = "requested";
  effect.add(sql::set_endpoint_state, account, event_type, is_enabled ? "enabled" : "disabled",
             reason, now);
}

boost::asio::awaitable<std::vector<Webhook>> list_webhooks(pg::Pool& database, pg::Scope scope,
                                                           std::optional<std::string> after,
                                                           bool ascending, std::int64_t limit) {
  const pg::Result found = co_await database.query(
      scope, ascending ? sql::list_oldest_webhooks : sql::list_newest_webhooks, *scope.account,
      after, limit);
  co_return found.map(webhook_of);
}

void read_trials(pg::Group& reads, std::int64_t account, const std::string& webhook) {
  reads.add(sql::get_trial_chain, account, Uuid::parse(webhook), Uuid{});
}

ShownDelivery add_trial(pg::Group& effect, std::int64_t account, const Webhook& webhook,
                        const pg::Result& trials, Instant now) {
  const auto chain = trials.first();
  const bool others_first = chain && chain->find("head").has_value();
  ShownDelivery trial{.id = Uuid::v7(now),
                      .kind = "webhook.test",
                      .sequence = chain ? chain->integer("last_sequence") + 1 : 1,
                      .status = "waiting",
                      .received_at = now};
  if (!others_first) trial.next_attempt_at = now;
  effect.add(sql::add_trial, account, webhook.id, Uuid{}, trial.id, trial.kind, now, trial.sequence,
             others_first);
  return trial;
}

void read_delivery(pg::Group& reads, std::int64_t account, const std::string& webhook,
                   const std::string& id) {
  reads.add(sql::get_delivery, account, Uuid::parse(webhook), Uuid::parse(id));
}

std::optional<FoundDelivery> found_delivery(const pg::Result& result) {
  return result.first().transform([](const pg::Row& row) {
    return FoundDelivery{delivery_of(row), row.boolean("others_first")};
  });
}

ShownDelivery send_again(pg::Group& effect, std::int64_t account, const Webhook& webhook,
                         const FoundDelivery& found, Instant now) {
  ShownDelivery delivery = found.delivery;
  effect.add(sql::redeliver, account, webhook.id, delivery.place, delivery.has_ended());
  if (delivery.has_ended()) {
    delivery.status = "waiting";
    delivery.attempts = 0;
    delivery.ended_at.reset();
    if (!found.others_first) delivery.next_attempt_at = now;
  } else if (delivery.next_attempt_at && *delivery.next_attempt_at > now) {
    delivery.next_attempt_at = now;
  }
  return delivery;
}

boost::asio::awaitable<void> restart_webhooks(pg::Pool& database, pg::Scope scope,
                                              std::int64_t account) {
  co_await database.query(scope, sql::restart_webhooks, account);
}

boost::asio::awaitable<std::optional<ListedDeliveries>> list_deliveries(pg::Pool& database,
                                                                        pg::Scope scope,
                                                                        DeliveryListing listing) {
  pg::Group reads;
  read_webhook(reads, *scope.account, listing.webhook);
  const auto id = Uuid::parse(listing.webhook);
  if (listing.status == "failed") {  // failed ones are rare and have their own index
    reads.add(
        listing.ascending ? sql::list_oldest_failed_deliveries : sql::list_newest_failed_deliveries,
        *scope.account, id, listing.after, listing.limit);
  } else {
    reads.add(listing.ascending ? sql::list_oldest_deliveries : sql::list_newest_deliveries,
              *scope.account, id, listing.status, listing.after, listing.limit);
  }
  const pg::Results found = co_await database.run(std::move(reads), scope);
  auto webhook = found_webhook(found[0]);
  if (!webhook) co_return std::nullopt;
  co_return ListedDeliveries{std::move(*webhook),
                             found[1].map([](const pg::Row& row) { return delivery_of(row); })};
}

boost::asio::awaitable<std::vector<outgoing::SealedSecrets>> list_sealed_webhooks(
    pg::Pool& database, pg::Scope scope, std::optional<Uuid> after) {
  const pg::Result found = co_await database.query(scope, sql::list_sealed_webhooks, *scope.account,
                                                   after, limits::kPageMost);
  co_return found.map([](const pg::Row& row) {
    return outgoing::SealedSecrets{
        .owner = row.uuid("owner"),
        .version = row.integer("version"),
        .headers = outgoing::headers_from_json(row.view("headers")),
        .signing_secret = row.maybe_bytes("signing_secret"),
        .previous_signing_secret = row.maybe_bytes("previous_signing_secret")};
  });
}

boost::asio::awaitable<void> reseal_webhook(pg::Pool& database, pg::Scope scope,
                                            outgoing::SealedSecrets secrets) {
  co_await database.query(scope, sql::reseal_webhook, *scope.account, secrets.owner,
                          secrets.version, outgoing::headers_to_json(secrets.headers),
                          secrets.signing_secret, secrets.previous_signing_secret);
}

}  // namespace shopbell::webhooks
