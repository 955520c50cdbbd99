#include "resources/webhooks/delivery.h"

#include <algorithm>
#include <charconv>
#include <format>
#include <sstream>

#include "base/limits.h"
#include "base/random.h"
#include "json/writer.h"
#include "outgoing/sent_header.h"
#include "outgoing/signature.h"
#include "outgoing/signing_secret.h"
#include "resources/webhooks/queries.h"

namespace shopbell::webhooks {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kGone = 410;
constexpr std::int64_t kBroughtForwardAtOnce = 1000;
constexpr std::int64_t kReplayedAtOnce = 250;  // each replayed delivery locks its chain

pg::Scope soon() { return {.deadline = pg::Steady::now() + limits::kQueryTimeout * 2}; }

Delivery delivery_of(const pg::Row& row, const keyring::Keyring& keyring, const Uuid& sender) {
  Delivery delivery{
      .account = row.integer("account_id"),
      .webhook_id = row.uuid("webhook_id"),
      .id = row.integer("id"),
      .sender = sender,
      .attempts = row.integer("attempts"),
      .claimed_through = row.instant("claimed_through"),
      .event_uid = row.uuid("event_uid"),
      .kind = row.text("kind"),
      .store_id = row.uuid("store_id"),
      .contact_id =
          row.find("contact_id") ? std::optional{row.uuid("contact_id")} : std::optional<Uuid>{},
      .subject = row.maybe_text("subject"),
      .sequence = row.integer("sequence"),
      .occurred_at = row.maybe_instant("occurred_at").value_or(row.instant("received_at")),
      .received_at = row.instant("received_at"),
      .data = row.maybe_text("payload").value_or("null"),
      .event_type = row.maybe_text("event_type"),
      .is_refused = !row.boolean("is_enabled"),
      .url = row.text("url")};
  const auto secret_of = [&](const char* column) {
    if (!row.find(column)) return;
    if (auto secret = keyring.unseal(
            row.bytes(column), outgoing::secret_context(delivery.account, delivery.webhook_id))) {
      delivery.secrets.push_back(std::move(*secret));
    } else {
      delivery.is_readable = false;
    }
  };
  secret_of("signing_secret");
  secret_of("previous_secret");
  for (const auto& header : outgoing::headers_from_json(row.view("headers"))) {
    const auto sealed = from_hex(header.sealed);
    const auto context =
        outgoing::header_context(delivery.account, delivery.webhook_id, header.name);
    if (auto value = sealed ? keyring.unseal(*sealed, context) : std::nullopt) {
      delivery.headers.emplace_back(header.name, std::move(*value));
    } else {
      delivery.is_readable = false;
    }
  }
  return delivery;
}

Outcome outcome_of(const Delivery& delivery) {
  return {.account = delivery.account,
          .webhook_id = delivery.webhook_id,
          .id = delivery.id,
          .sender = delivery.sender};
}

// Adds up to 50 % jitter, so that deliveries that failed together are not retried at the same
// moment.
milliseconds jittered_pause(const Delivery& delivery) {
  return std::chrono::floor<milliseconds>(pause_after(delivery.attempts) * (1 + jitter() / 2));
}

std::string_view trouble_of(net::Failure failure) {
  switch (failure) {
    case net::Failure::malformed_request:
      return "The URL is invalid.";
    case net::Failure::unreachable:
      return "The connection failed.";
    case net::Failure::untrusted:
      return "The endpoint's TLS certificate is not trusted.";
    case net::Failure::timeout:
      return "The endpoint did not respond in time.";
    case net::Failure::lost:
      return "The connection was lost.";
    case net::Failure::malformed:
      return "The response was not valid HTTP.";
    case net::Failure::too_large:
      return "The response was too large.";
    case net::Failure::forbidden:
      return "The operator's rules do not allow this address.";
  }
  return "";
}

}  // namespace

boost::asio::awaitable<std::vector<Delivery>> take_due(pg::Pool& database,
                                                       const keyring::Keyring& keyring,
                                                       std::span<const DueEndpoint> endpoints,
                                                       const Load& load, std::size_t most) {
  if (endpoints.empty()) co_return std::vector<Delivery>{};
  pg::Array owners, webhooks, since, of_webhook, accounts, of_account;
  for (const auto& endpoint : endpoints) {
    const auto in_flight = load.of_webhook.find(endpoint.webhook_id);
    owners.add(endpoint.account);
    webhooks.add(endpoint.webhook_id);
    since.add(endpoint.since);
    of_webhook.add(in_flight == load.of_webhook.end() ? std::int64_t{0} : in_flight->second);
  }
  for (const auto& [account, count] : load.of_account) {
    accounts.add(account);
    of_account.add(count);
  }
  const Uuid sender = Uuid::v7(system_clock().now());
  const pg::Result found = co_await database.query(
      soon(), sql::claim_deliveries, sender, seconds{limits::kDeliveryLease}.count(), most,
      std::move(owners).finish(), std::move(webhooks).finish(), std::move(since).finish(),
      std::move(of_webhook).finish(), limits::kDeliveriesPerEndpoint, std::move(accounts).finish(),
      std::move(of_account).finish(), limits::kDeliveriesPerAccount);
  co_return found.map([&](const pg::Row& row) { return delivery_of(row, keyring, sender); });
}

boost::asio::awaitable<void> release(pg::Pool& database, std::span<const Delivery> deliveries) {
  pg::Array accounts, webhooks, ids, senders;
  for (const auto& delivery : deliveries) {
    accounts.add(delivery.account);
    webhooks.add(delivery.webhook_id);
    ids.add(delivery.id);
    senders.add(delivery.sender);
  }
  co_await database.query(soon(), sql::release_deliveries, std::move(accounts).finish(),
                          std::move(webhooks).finish(), std::move(ids).finish(),
                          std::move(senders).finish());
}

boost::asio::awaitable<std::int64_t> bring_forward(pg::Pool& database) {
  const pg::Result result =
      co_await database.query(soon(), sql::bring_forward_deliveries, kBroughtForwardAtOnce);
  co_return result[0].integer("count");
}

boost::asio::awaitable<std::int64_t> hasten_refused(pg::Pool& database) {
  const pg::Result result =
      co_await database.query(soon(), sql::hasten_refused, limits::kUpkeepBatch);
  co_return result[0].integer("count");
}

std::string envelope(const Delivery& delivery) {
  json::Writer writer;
  writer.begin_object();
  writer.key("specversion").text("1.0");
  writer.key("id").text(delivery.event_uid.to_string());
  writer.key("source").text("urn:uuid:" + delivery.store_id.to_string());
  writer.key("type").text(delivery.event_type.value_or(delivery.kind));
  writer.key("time").text(to_rfc3339(delivery.occurred_at));
  // The subject of an event that a workflow sends is its type, which has a member of its own.
  const auto& subject = delivery.event_type ? std::nullopt : delivery.subject;
  if (subject || delivery.contact_id)
    writer.key("subject").text(subject ? *subject : delivery.contact_id->to_string());
  if (delivery.contact_id) writer.key("contactid").text(delivery.contact_id->to_string());
  if (delivery.event_type) writer.key("eventtypeid").text(delivery.webhook_id.to_string());
  writer.key("receivedat").text(to_rfc3339(delivery.received_at));
  writer.key("sequence").integer(delivery.sequence);
  writer.key("datacontenttype").text("application/json");
  writer.key("data").json(delivery.data);
  writer.end();
  return writer.finish();
}

net::Request request_of(const Delivery& delivery, Instant now) {
  net::Request request{.method = "POST",
                       .url = delivery.url,
                       .headers = delivery.headers,
                       .body = envelope(delivery),
                       .time_limit = limits::kDeliveryTime,
                       .answer_bytes_max = limits::kBodyBytes};
  const std::string id = delivery.event_uid.to_string();
  const auto signature = outgoing::sign(delivery.secrets, id, now, request.body);
  auto& headers = request.headers;
  headers.emplace_back("Content-Type", "application/cloudevents+json");
  headers.emplace_back("User-Agent", "Shopbell-Webhooks");
  headers.emplace_back("webhook-id", id);
  headers.emplace_back("webhook-timestamp", signature.timestamp);
  headers.emplace_back("webhook-signature", signature.signatures);
  return request;
}

milliseconds pause_after(std::int64_t attempts) {
  const auto doublings = std::clamp<std::int64_t>(attempts - 1, 0, 20);
  return std::min<milliseconds>(limits::kDeliveryPauseFirst * (std::int64_t{1} << doublings),
                                limits::kDeliveryPauseMost);
}

std::optional<milliseconds> retry_after(std::string_view header, Instant now) {
  if (header.empty()) return std::nullopt;
  std::int64_t requested = 0;
  const auto [end, error] =
      std::from_chars(header.data(), header.data() + header.size(), requested);
  if (error != std::errc{} || end != header.data() + header.size()) {
    std::istringstream text{std::string{header}};
    std::chrono::sys_seconds at;
    text >> std::chrono::parse("%a, %d %b %Y %H:%M:%S GMT", at);
    if (text.fail()) return std::nullopt;
    requested = std::chrono::ceil<seconds>(at - now).count();
  }
  const std::int64_t most = seconds{limits::kRetryAfterMost}.count();
  return seconds{std::clamp<std::int64_t>(requested, 0, most)};
}

Outcome refused(const Delivery& delivery) {
  Outcome outcome = outcome_of(delivery);
  outcome.refused = true;
  outcome.trouble = "The event type is disabled.";
  return outcome;
}

Outcome not_sent(const Delivery& delivery, std::string why) {
  Outcome outcome = outcome_of(delivery);
  outcome.trouble = std::move(why);
  outcome.pause = jittered_pause(delivery);
  return outcome;
}

Outcome evaluate(const Delivery& delivery, const std::expected<net::Answer, net::Trouble>& answer,
                 Instant now) {
  if (!answer) return not_sent(delivery, std::string{trouble_of(answer.error().failure)});
  Outcome outcome = outcome_of(delivery);
  outcome.status = answer->status;
  outcome.delivered = answer->status >= 200 && answer->status < 300;
  if (outcome.delivered) return outcome;
  outcome.trouble = std::format("The endpoint responded with {}.", answer->status);
  if (answer->status == kGone) return outcome;
  outcome.rest = retry_after(answer->header("Retry-After"), now);
  outcome.pause = std::max(jittered_pause(delivery), outcome.rest.value_or(milliseconds{0}));
  return outcome;
}

boost::asio::awaitable<void> settle(pg::Pool& database, std::span<const Outcome> outcomes) {
  pg::Array accounts, webhooks, ids, senders, delivered, statuses, troubles, pauses, rests;
  const auto count = [](const std::optional<milliseconds>& time) {
    return time.transform([](milliseconds some) { return some.count(); });
  };
  for (const auto& outcome : outcomes) {
    accounts.add(outcome.account);
    webhooks.add(outcome.webhook_id);
    ids.add(outcome.id);
    senders.add(outcome.sender);
    delivered.add(outcome.delivered);
    statuses.add(outcome.status);
    troubles.add(outcome.trouble);
    pauses.add(count(outcome.pause));
    rests.add(count(outcome.rest));
  }
  co_await database.query(
      soon(), sql::settle_deliveries, std::move(accounts).finish(), std::move(webhooks).finish(),
      std::move(ids).finish(), std::move(senders).finish(), std::move(delivered).finish(),
      std::move(statuses).finish(), std::move(troubles).finish(), std::move(pauses).finish(),
      std::move(rests).finish(), seconds{limits::kDeliveryTries}.count(),
      seconds{limits::kDeliveryHolds}.count(), seconds{limits::kEndpointDead}.count());
}

boost::asio::awaitable<bool> step_replay(pg::Pool& database) {
  const pg::Result result =
      co_await database.query(soon(), sql::step_replay, limits::kReplayRows, kReplayedAtOnce);
  co_return result[0].integer("count") > 0;
}

boost::asio::awaitable<Waiting> count_waiting(pg::Pool& database,
                                              std::span<const DueEndpoint> endpoints) {
  if (endpoints.empty()) co_return Waiting{};
  pg::Array accounts, webhooks, since;
  for (const auto& endpoint : endpoints) {
    accounts.add(endpoint.account);
    webhooks.add(endpoint.webhook_id);
    since.add(endpoint.since);
  }
  const pg::Result result = co_await database.query(
      soon(), sql::count_waiting, std::move(accounts).finish(), std::move(webhooks).finish(),
      std::move(since).finish(), limits::kWaitingCounted);
  co_return Waiting{.deliveries = result[0].integer("deliveries"),
                    .seconds = std::stod(result[0].text("seconds"))};
}

}  // namespace shopbell::webhooks
