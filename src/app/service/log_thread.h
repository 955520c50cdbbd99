// LogThread: runs the readers of the event log, the claims of messages, the webhook sender and the
// stream on their own thread; heartbeats and ticks on another one.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/config/config.h"
#include "app/service/side_thread.h"
#include "automation/definition_cache.h"
#include "event_log/log.h"
#include "keyring/keyring.h"
#include "mail/claim_loop.h"
#include "net/http_client.h"
#include "observe/metrics.h"
#include "pg/pool.h"
#include "resources/webhooks/sender.h"
#include "stream/stream.h"

namespace shopbell::app {

class LogThread {
 public:
  // `process` is the id of this process in the event log.
  LogThread(const Config& config, const keyring::Keyring& keyring, Uuid process,
            observe::Metrics& metrics);
  ~LogThread() { join(); }

  // Starts the readers. Call this once, when the schema is up to date.
  void start();
  // Releases the leased lanes and ends requests in flight, then calls `stopped`, on any thread.
  void stop(std::function<void()> stopped) { thread_.stop(end(), std::move(stopped)); }
  void join();

  // The reason why the stream cannot write to Kafka; empty if it can, or if there is no stream.
  // Call it from any thread.
  std::string stream_trouble() const { return stream_ ? stream_->topic().trouble() : ""; }

 private:
  boost::asio::awaitable<void> end();
  std::vector<event_log::Reader> readers(const keyring::Keyring& keyring,
                                         observe::Metrics& metrics);

  SideThread pulse_thread_;  // heartbeats and ticks, which must not wait for the readers
  SideThread thread_;
  pg::Health health_;  // failed connections here do not affect readiness
  pg::Pool pulse_;     // the connection for heartbeats and ticks
  pg::Pool work_;      // connections for readers: reads and concurrent commits
  pg::Pool sending_;   // connections to claim and settle deliveries
  pg::Pool upkeep_;    // connections for queries that must not delay deliveries
  net::HttpClient client_;
  webhooks::Sender sender_;
  automation::DefinitionCache definitions_;
  mail::ClaimLoop claims_;
  std::unique_ptr<stream::Stream> stream_;  // null if no stream topic is configured
  event_log::Log log_;
};

}  // namespace shopbell::app
