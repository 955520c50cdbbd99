// LogThread: the readers of the log and what acts on them, on a thread of their own.
#pragma once

#include <functional>

#include "app/config.h"
#include "app/side_thread.h"
#include "keyring/keyring.h"
#include "log/log.h"
#include "net/http_client.h"
#include "observe/metrics.h"
#include "pg/pool.h"
#include "resources/webhooks/sender.h"

namespace shopbell::app {

class LogThread {
 public:
  LogThread(const Config& config, const keyring::Keyring& keyring, observe::Metrics& metrics);
  ~LogThread() { join(); }

  // Once, when the schema is the right one.
  void start();
  // Gives back its lanes and ends what it sends, then calls `stopped`, on whatever thread.
  void stop(std::function<void()> stopped) { thread_.stop(end(), std::move(stopped)); }
  void join() { thread_.join(); }

 private:
  boost::asio::awaitable<void> end();

  SideThread thread_;
  pg::Health health_;  // no reason to refuse traffic
  pg::Pool pulse_;     // heartbeats and ticks: short, and in time
  pg::Pool work_;      // what readers read, and meanwhile commit
  pg::Pool sending_;   // what is sent, and what became of it
  net::HttpClient client_;
  webhooks::Sender sender_;
  log::Log log_;
};

}  // namespace shopbell::app
