#include "app/log_thread.h"

#include "base/limits.h"
#include "resources/webhooks/webhook_reader.h"

namespace shopbell::app {

namespace {

// A process that is stopped in the middle of a transaction must not keep its locks from those who
// take over.
pg::Pool::Settings connections_of(const Config& config, std::size_t count = 1) {
  return {
      .url = config.database_worker, .shared = count, .transaction_most = limits::kLogTransaction};
}

}  // namespace

LogThread::LogThread(const Config& config, const keyring::Keyring& keyring,
                     observe::Metrics& metrics)
    : pulse_{thread_.loop(), connections_of(config), metrics, health_},
      work_{thread_.loop(), connections_of(config, 2), metrics, health_},
      sending_{thread_.loop(), connections_of(config), metrics, health_},
      client_{thread_.loop(),
              {.connections = limits::kDeliveriesAtOnce, .outside = config.webhooks}},
      sender_{thread_.loop(), sending_, client_, keyring, metrics},
      log_{thread_.loop(),   pulse_, work_, {webhooks::webhook_reader([this] { sender_.wake(); })},
           SHOPBELL_VERSION, metrics} {}

void LogThread::start() {
  log_.start();
  sender_.start();
  thread_.start();
}

boost::asio::awaitable<void> LogThread::end() {
  co_await log_.stop();
  co_await sender_.stop();
}

}  // namespace shopbell::app
