// Sender: sends webhook deliveries. It claims due deliveries of all endpoints, limited per
// endpoint, and sends them concurrently. So a slow or dead endpoint uses only its own share.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "keyring/keyring.h"
#include "net/http_client.h"
#include "observe/metrics.h"
#include "pg/pool.h"
#include "resources/webhooks/deliveries_in_flight.h"
#include "resources/webhooks/delivery.h"
#include "resources/webhooks/due_endpoints.h"
#include "runtime/wait.h"

namespace shopbell::webhooks {

class Sender {
 public:
  // `upkeep` is for queries that must not delay claims and outcomes on `database`.
  Sender(boost::asio::io_context& loop, pg::Pool& database, pg::Pool& upkeep,
         net::HttpClient& client, const keyring::Keyring& keyring, observe::Metrics& metrics);

  // Runs on the loop until stop() is called.
  void start();
  // Call this when new deliveries are due.
  void wake() { wake_.ring(); }
  // Call this when the database's clock was set back: deliveries scheduled before become due.
  void clock_set_back();
  // Waits for requests in flight, for a few seconds at most. Other processes retry unfinished
  // deliveries.
  boost::asio::awaitable<void> stop();

 private:
  boost::asio::awaitable<void> keep_sending();
  boost::asio::awaitable<void> keep_settling();
  boost::asio::awaitable<void> keep_up();
  boost::asio::awaitable<void> settle_or_bisect(std::span<const Outcome> outcomes,
                                                std::vector<Outcome>& left);
  boost::asio::awaitable<bool> take_more();
  boost::asio::awaitable<void> give_back(std::vector<Delivery> deliveries);
  void send_ready();
  boost::asio::awaitable<void> find_endpoints();
  boost::asio::awaitable<void> find_all_endpoints();
  boost::asio::awaitable<void> advance_endpoints();
  boost::asio::awaitable<void> replay();
  boost::asio::awaitable<void> end_refused();
  boost::asio::awaitable<void> catch_up_with_clock();
  boost::asio::awaitable<void> count();
  boost::asio::awaitable<void> log_failure(boost::asio::awaitable<void> work);
  boost::asio::awaitable<void> send(Delivery delivery);
  boost::asio::awaitable<Outcome> attempt(const Delivery& delivery);

  boost::asio::io_context& loop_;
  pg::Pool& database_;
  pg::Pool& upkeep_;
  net::HttpClient& client_;
  const keyring::Keyring& keyring_;
  DueEndpoints endpoints_;
  DeliveriesInFlight in_flight_;
  std::vector<Outcome> outcomes_;  // outcomes not yet settled in the database
  runtime::Bell wake_;
  runtime::Bell settle_;
  runtime::Bell ended_;
  runtime::Bell stop_upkeep_;
  std::optional<runtime::Steady::time_point> found_at_;  // when endpoints were last found
  runtime::Steady::time_point replay_at_;
  runtime::Steady::time_point catch_up_until_;
  int running_ = 0;  // number of this sender's coroutines that still run
  bool stopping_ = false;
  bool poll_failing_ = false;    // the failing poll was already logged
  bool upkeep_failing_ = false;  // the failing upkeep was already logged
  bool settle_failing_ = false;  // the failing settlement was already logged

  observe::Counter& delivered_;
  observe::Counter& failed_;
  observe::Counter& gone_;
  observe::Gauge& waiting_;
  observe::Gauge& wait_seconds_;
  observe::Duration& answer_seconds_;
};

}  // namespace shopbell::webhooks
