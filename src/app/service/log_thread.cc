#include "app/service/log_thread.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "app/config/connections.h"
#include "app/config/kafka_setup.h"
#include "automation/automation_reader.h"
#include "automation/wake_reader.h"
#include "base/limits.h"
#include "resources/webhooks/webhook_reader.h"

namespace shopbell::app {

namespace {

// work_mem for sorting prefetched pages in memory: sorting on disk takes a sixth longer.
constexpr int kPageMegabytes = 16;

// A transaction of a suspended process must time out: its locks would block the process that takes
// over its lanes.
pg::Pool::Settings connections_for(const Config& config, std::size_t count = 1) {
  return {.url = config.database_worker,
          .shared = count,
          .transaction_most = limits::kLogTransaction,
          .sort_megabytes = kPageMegabytes};
}

std::unique_ptr<stream::Stream> stream_to(const KafkaConfig& kafka, boost::asio::io_context& loop,
                                          observe::Metrics& metrics) {
  if (!kafka.has_stream()) return nullptr;
  return std::make_unique<stream::Stream>(loop, brokers_of(kafka), stream_rules(kafka), metrics);
}

}  // namespace

LogThread::LogThread(const Config& config, const keyring::Keyring& keyring, Uuid process,
                     observe::Metrics& metrics)
    : pulse_{pulse_thread_.loop(), connections_for(config), metrics, health_},
      work_{thread_.loop(), connections_for(config, log_connections(config)), metrics, health_},
      sending_{thread_.loop(), connections_for(config), metrics, health_},
      upkeep_{thread_.loop(), connections_for(config), metrics, health_},
      client_{thread_.loop(),
              {.connections = limits::kDeliveriesAtOnce + webhooks::kReservedDeliveries,
               .outside = config.webhooks}},
      sender_{thread_.loop(), sending_, upkeep_, client_, keyring, metrics},
      definitions_{work_},
      claims_{thread_.loop(), work_, keyring, metrics},
      stream_{stream_to(config.kafka, thread_.loop(), metrics)},
      log_{pulse_thread_.loop(),
           pulse_,
           thread_.loop(),
           work_,
           readers(keyring, metrics),
           {process, SHOPBELL_VERSION, keyring.ids()},
           metrics} {
  log_.when_clock_set_back([this] { sender_.clock_set_back(); });
}

std::vector<event_log::Reader> LogThread::readers(const keyring::Keyring& keyring,
                                                  observe::Metrics& metrics) {
  std::vector<event_log::Reader> all{webhooks::webhook_reader([this] { sender_.wake(); })};
  all.push_back(
      automation::automation_reader(definitions_, keyring, metrics, [this] { claims_.wake(); }));
  all.push_back(automation::wake_reader());
  if (stream_) all.push_back(stream_->reader());
  return all;
}

void LogThread::start() {
  if (stream_) boost::asio::co_spawn(thread_.loop(), stream_->topic().run(), boost::asio::detached);
  log_.start();
  sender_.start();
  claims_.start();
  thread_.start();
  pulse_thread_.start();
}

void LogThread::join() {
  thread_.join();
  pulse_thread_.join();
}

boost::asio::awaitable<void> LogThread::end() {
  if (stream_) stream_->stop();
  co_await log_.stop();
  co_await sender_.stop();
  co_await claims_.stop();
}

}  // namespace shopbell::app
