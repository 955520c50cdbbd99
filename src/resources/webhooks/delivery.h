// Delivery: one event on its way to one endpoint. Whoever is free takes what is due, sends it and
// says what became of it; what was taken by somebody who then died is due again when its lease has
// ended.
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
  Uuid sender;  // who took it
  std::int64_t attempts = 0;

  Uuid event_uid;
  std::string kind;
  Uuid store_id;
  std::optional<Uuid> contact_id;
  std::optional<std::string> subject;
  std::int64_t sequence = 0;
  Instant occurred_at;
  Instant received_at;
  std::string data;  // JSON

  std::string url;
  net::Headers headers;              // the store's own
  std::vector<std::string> secrets;  // one, or two after a rotation
  bool is_readable = true;           // all that is sealed of it could be opened
};

// What of an endpoint or an account this process is sending already; less than nothing where it may
// take more than is sent at a time.
struct Load {
  std::map<Uuid, std::int64_t> of_webhook;
  std::map<std::int64_t, std::int64_t> of_account;
};

boost::asio::awaitable<std::vector<Delivery>> take_due(pg::Pool& database,
                                                       const keyring::Keyring& keyring,
                                                       const Load& load, std::size_t most);

// Those that were taken and not sent are due again.
boost::asio::awaitable<void> release(pg::Pool& database, std::span<const Delivery> deliveries);

// The body: a CloudEvent in its JSON form.
std::string envelope(const Delivery& delivery);
net::Request request_of(const Delivery& delivery, Instant now);

// What became of it.
struct Outcome {
  std::int64_t account = 0;
  Uuid webhook_id;
  std::int64_t id = 0;
  Uuid sender;
  bool heard = false;
  std::optional<std::int64_t> status;
  std::optional<std::string> trouble;
  std::optional<std::chrono::milliseconds> pause;  // before it is sent again
  std::optional<std::chrono::milliseconds> rest;   // that the endpoint asks for
};
Outcome judge(const Delivery& delivery, const std::expected<net::Answer, net::Trouble>& answer,
              Instant now);

// One that was never sent, to be tried again.
Outcome not_sent(const Delivery& delivery, std::string why);

// How long to wait after so many attempts, before chance is added.
std::chrono::milliseconds pause_after(std::int64_t attempts);
// `Retry-After`, in seconds or as a date.
std::optional<std::chrono::milliseconds> wished_rest(std::string_view header, Instant now);

boost::asio::awaitable<void> settle(pg::Pool& database, std::span<const Outcome> outcomes);
// Goes on with a replay; false when there is none.
boost::asio::awaitable<bool> step_replay(pg::Pool& database);

struct Waiting {
  std::int64_t deliveries = 0;
  double seconds = 0;  // the oldest
};
boost::asio::awaitable<Waiting> count_waiting(pg::Pool& database);

}  // namespace shopbell::webhooks
