// Delivery: one event for one endpoint. A sender claims due deliveries, sends them and stores the
// outcome. If the sender dies, its deliveries become due again when their lease expires.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/time.h"
#include "base/uuid.h"
#include "keyring/keyring.h"
#include "net/http_client.h"
#include "pg/pool.h"

namespace shopbell::webhooks {

struct Delivery {
  std::int64_t account = 0;
  Uuid webhook_id;
  std::int64_t id = 0;
  Uuid sender;  // the sender that claimed the delivery
  std::int64_t attempts = 0;
  Instant claimed_through;  // no delivery of the endpoint that is due before this is left

  Uuid event_uid;
  std::string kind;
  Uuid store_id;
  std::optional<Uuid> contact_id;
  std::optional<std::string> subject;
  std::int64_t sequence = 0;
  Instant occurred_at;
  Instant received_at;
  std::string data;  // the event's data as JSON

  // The name of the event type, for a delivery that a workflow sends: its id is the webhook's.
  std::optional<std::string> event_type;
  bool is_refused = false;  // the endpoint of the event type is disabled: nothing is sent

  std::string url;
  net::Headers headers;              // request headers that the store configured
  std::vector<std::string> secrets;  // one signing secret, or two after a rotation
  bool is_readable = true;           // false if a secret could not be decrypted
};

// Counts this process's deliveries in flight per endpoint and account. A negative count lets it
// claim more than the concurrency limit, as a prefetch.
struct Load {
  std::map<Uuid, std::int64_t> of_webhook;
  std::map<std::int64_t, std::int64_t> of_account;
};

// An endpoint that may have due deliveries, none of them due before `since`.
struct DueEndpoint {
  std::int64_t account = 0;
  Uuid webhook_id;
  Instant since;
};

// Claims due deliveries of these endpoints.
boost::asio::awaitable<std::vector<Delivery>> take_due(pg::Pool& database,
                                                       const keyring::Keyring& keyring,
                                                       std::span<const DueEndpoint> endpoints,
                                                       const Load& load, std::size_t most);

// Releases claimed deliveries that were not sent: they become due again.
boost::asio::awaitable<void> release(pg::Pool& database, std::span<const Delivery> deliveries);

// Makes deliveries due that were scheduled before the database's clock was set back. Returns how
// many; 0 if none is left.
boost::asio::awaitable<std::int64_t> bring_forward(pg::Pool& database);

// Makes retries to disabled endpoints of event types due, because runs wait for their end. Returns
// how many; 0 if none is left.
boost::asio::awaitable<std::int64_t> hasten_refused(pg::Pool& database);

// Returns the request body: a CloudEvent in its JSON form.
std::string envelope(const Delivery& delivery);
net::Request request_of(const Delivery& delivery, Instant now);

// The outcome of a delivery attempt.
struct Outcome {
  std::int64_t account = 0;
  Uuid webhook_id;
  std::int64_t id = 0;
  Uuid sender;
  bool delivered = false;
  bool refused = false;  // ended without an attempt: says nothing about the endpoint
  std::optional<std::int64_t> status;
  std::optional<std::string> trouble;
  std::optional<std::chrono::milliseconds> pause;  // backoff before the next attempt
  std::optional<std::chrono::milliseconds> rest;   // pause requested by the endpoint's Retry-After
};
Outcome evaluate(const Delivery& delivery, const std::expected<net::Answer, net::Trouble>& answer,
                 Instant now);

// Returns the outcome of a delivery to a disabled endpoint: it has failed for good.
Outcome refused(const Delivery& delivery);

// Returns the outcome of a delivery that could not be sent, so that it is retried.
Outcome not_sent(const Delivery& delivery, std::string why);

// Returns the backoff after that many attempts, without jitter.
std::chrono::milliseconds pause_after(std::int64_t attempts);
// Parses a `Retry-After` header, which has seconds or a date.
std::optional<std::chrono::milliseconds> retry_after(std::string_view header, Instant now);

boost::asio::awaitable<void> settle(pg::Pool& database, std::span<const Outcome> outcomes);
// Runs the next step of a replay. Returns false if no replay is in progress.
boost::asio::awaitable<bool> step_replay(pg::Pool& database);

struct Waiting {
  std::int64_t deliveries = 0;
  double seconds = 0;  // age of the oldest waiting delivery
};
// Counts the due deliveries of these endpoints, up to a limit per endpoint.
boost::asio::awaitable<Waiting> count_waiting(pg::Pool& database,
                                              std::span<const DueEndpoint> endpoints);

}  // namespace shopbell::webhooks
