// Sender: tells endpoints what they are to be told. It takes what is due, some of every endpoint,
// and sends it all at once, so that one which is slow or dead takes up its own share and nobody
// else's.
#pragma once

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
#include "runtime/wait.h"

namespace shopbell::webhooks {

class Sender {
 public:
  Sender(boost::asio::io_context& loop, pg::Pool& database, net::HttpClient& client,
         const keyring::Keyring& keyring, observe::Metrics& metrics);

  // On the loop; until stop().
  void start();
  // There is something new to send.
  void wake() { wake_.ring(); }
  // Returns when what is under way has ended, or soon: others send it again then.
  boost::asio::awaitable<void> stop();

 private:
  boost::asio::awaitable<void> keep_sending();
  boost::asio::awaitable<void> keep_settling();
  boost::asio::awaitable<void> settle_apart(std::span<const Outcome> outcomes,
                                            std::vector<Outcome>& left);
  boost::asio::awaitable<bool> take_more();
  boost::asio::awaitable<void> give_back(std::vector<Delivery> deliveries);
  void send_ready();
  boost::asio::awaitable<void> look_after();
  boost::asio::awaitable<void> send(Delivery delivery);
  boost::asio::awaitable<Outcome> attempt(const Delivery& delivery);

  boost::asio::io_context& loop_;
  pg::Pool& database_;
  net::HttpClient& client_;
  const keyring::Keyring& keyring_;
  DeliveriesInFlight in_flight_;
  std::vector<Outcome> outcomes_;  // not in the database yet
  runtime::Bell wake_;
  runtime::Bell settle_;
  runtime::Bell ended_;
  runtime::Steady::time_point look_at_;
  int running_ = 0;  // of the two loops
  bool stopping_ = false;
  bool troubled_ = false;   // it was said that there is trouble
  bool unsettled_ = false;  // in settling

  observe::Counter& delivered_;
  observe::Counter& failed_;
  observe::Counter& gone_;
  observe::Gauge& waiting_;
  observe::Gauge& wait_seconds_;
  observe::Duration& answer_seconds_;
};

}  // namespace shopbell::webhooks
