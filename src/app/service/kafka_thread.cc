#include "app/service/kafka_thread.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>

#include "app/config/kafka_setup.h"
#include "base/limits.h"

namespace shopbell::app {

namespace {

// A transaction of a suspended process must time out: otherwise its locks would block others.
pg::Pool::Settings connections_to(const std::string& url) {
  return {.url = url, .transaction_most = limits::kLogTransaction};
}

}  // namespace

KafkaThread::KafkaThread(const Config& config, const keyring::Keyring& keyring, Uuid process,
                         observe::Metrics& metrics)
    : pulse_{thread_.loop(), connections_to(config.database_worker), metrics, health_},
      data_{thread_.loop(), connections_to(config.database_api), metrics, health_},
      queue_{thread_.loop(), brokers_of(config.kafka), intake_rules(config.kafka), keyring,
             metrics},
      reader_{thread_.loop(),
              brokers_of(config.kafka),
              config.kafka.intake_topic,
              queue_.topic(),
              process,
              pulse_,
              data_,
              keyring,
              metrics} {}

void KafkaThread::start() {
  boost::asio::co_spawn(thread_.loop(), queue_.topic().run(), boost::asio::detached);
  thread_.start();
}

void KafkaThread::start_reading() {
  boost::asio::post(thread_.loop(), [this] { reader_.start(); });
}

boost::asio::awaitable<void> KafkaThread::end() {
  queue_.topic().stop();
  co_await reader_.stop();
}

}  // namespace shopbell::app
