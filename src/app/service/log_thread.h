// LogThread: the readers of the log and what acts on them, on a thread of their own.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/config/config.h"
#include "app/service/side_thread.h"
#include "event_log/log.h"
#include "keyring/keyring.h"
#include "net/http_client.h"
#include "observe/metrics.h"
#include "pg/pool.h"
#include "resources/webhooks/sender.h"
#include "stream/stream.h"

namespace shopbell::app {

class LogThread {
 public:
  // `process` is what this one is called among the others.
  LogThread(const Config& config, const keyring::Keyring& keyring, Uuid process,
            observe::Metrics& metrics);
  ~LogThread() { join(); }

  // Once, when the schema is the right one.
  void start();
  // Gives back its lanes and ends what it sends, then calls `stopped`, on whatever thread.
  void stop(std::function<void()> stopped) { thread_.stop(end(), std::move(stopped)); }
  void join() { thread_.join(); }

  // Why Kafka does not take the events of the log; empty when it does, or need not. From any
  // thread.
  std::string stream_trouble() const { return stream_ ? stream_->topic().trouble() : ""; }

 private:
  boost::asio::awaitable<void> end();
  std::vector<event_log::Reader> readers();

  SideThread thread_;
  pg::Health health_;  // no reason to refuse traffic
  pg::Pool pulse_;     // heartbeats and ticks: short, and in time
  pg::Pool work_;      // what readers read, and meanwhile commit
  pg::Pool sending_;   // what is sent, and what became of it
  net::HttpClient client_;
  webhooks::Sender sender_;
  std::unique_ptr<stream::Stream> stream_;  // where a topic for it is configured
  event_log::Log log_;
};

}  // namespace shopbell::app
