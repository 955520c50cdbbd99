// ClaimLoop: claims due messages until it is stopped.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "keyring/keyring.h"
#include "observe/metrics.h"
#include "pg/pool.h"
#include "resources/messages/message_claims.h"
#include "runtime/wait.h"

namespace shopbell::mail {

class ClaimLoop {
 public:
  // Everything runs on the loop.
  ClaimLoop(boost::asio::io_context& loop, pg::Pool& database, const keyring::Keyring& keyring,
            observe::Metrics& metrics);

  void start();
  // Call this when messages were planned.
  void wake() { wake_.ring(); }
  // Returns when no claim is in flight.
  boost::asio::awaitable<void> stop();

 private:
  boost::asio::awaitable<messages::ClaimRound> claim();
  boost::asio::awaitable<void> run();

  boost::asio::io_context& loop_;
  pg::Pool& database_;
  const keyring::Keyring& keyring_;
  runtime::Bell wake_;
  runtime::Bell ended_;
  Instant since_{};                       // where the next claim begins
  runtime::Steady::time_point sweep_at_;  // when the next claim begins with the oldest message
  bool running_ = false;
  bool stopping_ = false;
  bool is_failing_ = false;  // the failure was already logged
  observe::Counter& ended_total_;
};

}  // namespace shopbell::mail
