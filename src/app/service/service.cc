#include "app/service/service.h"

#include <csignal>
#include <cstdlib>
#include <format>

#include <boost/asio/signal_set.hpp>

#include "app/config/connections.h"
#include "app/config/file_storage.h"
#include "app/config/kafka_setup.h"
#include "app/config/queries.h"
#include "app/config/schema.h"
#include "app/service/job_thread.h"
#include "app/service/kafka_thread.h"
#include "app/service/log_thread.h"
#include "app/service/private_routes.h"
#include "app/service/public_routes.h"
#include "app/service/upkeep.h"
#include "base/limits.h"
#include "http/server/server.h"
#include "observe/log.h"
#include "rates/usage_exchange.h"
#include "resources/all.h"
#include "resources/keys/key_check.h"
#include "runtime/loops.h"

namespace shopbell::app {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using observe::Level;

tcp::endpoint endpoint_of(asio::io_context& loop, const Address& address) {
  std::string host = address.host;
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  tcp::resolver resolver{loop};
  return resolver.resolve(host, std::to_string(address.port), tcp::resolver::passive)
      .begin()
      ->endpoint();
}

std::string url_of(std::string_view scheme, const tcp::endpoint& endpoint) {
  const auto address = endpoint.address();
  return std::format(
      "{}://{}:{}", scheme,
      address.is_v6() ? std::format("[{}]", address.to_string()) : address.to_string(),
      endpoint.port());
}

// Returns null if no intake topic is configured.
std::unique_ptr<KafkaThread> make_kafka_thread(const Config& config,
                                               const keyring::Keyring& keyring, Uuid process,
                                               observe::Metrics& metrics) {
  require_safe_topics(config.kafka);
  if (!config.kafka.has_intake()) return nullptr;
  return std::make_unique<KafkaThread>(config, keyring, process, metrics);
}

// The objects that belong to one event loop.
struct LoopParts {
  std::unique_ptr<pg::Pool> database;
  std::unique_ptr<keys::KeyCheck> keys;
  std::unique_ptr<http::Server> server;
};

class Service {
 public:
  explicit Service(const Config& config)
      : config_{config},
        keyring_{keyring::Keyring::load(config.keyring)},
        address_limit_{config.connections_per_address, config.trusted_proxies},
        storage_{open_storage(config)},
        kafka_{make_kafka_thread(config, keyring_, process_, metrics_)},
        router_{
            public_routes(config.base_path, config.webhooks, kafka_ ? &kafka_->queue() : nullptr)},
        readiness_{health_},
        private_router_{private_routes(readiness_, metrics_)},
        loops_{loops_of(config)},
        signals_{loops_[0], SIGTERM, SIGINT} {
    metrics_
        .gauge("shopbell_start_time_seconds", "When the process started, in seconds since 1970.")
        .set(std::chrono::duration<double>{system_clock().now().time_since_epoch()}.count());
    const auto say = [](std::string_view what, const std::string& why) {
      return why.empty() ? "" : std::format("{}: {}", what, why);
    };
    if (kafka_) {
      readiness_.watch(
          [this, say] { return say("kafka takes no events", kafka_->queue().topic().trouble()); });
    }
    readiness_.watch([this, say] {
      return say("kafka receives no events of the stream", log_->stream_trouble());
    });
    if (!config.tls_certificate.empty()) tls_.emplace(config.tls_certificate, config.tls_key);
  }

  int run() {
    if (kafka_) kafka_->start();
    open_listeners();
    worker_database_ = std::make_unique<pg::Pool>(
        loops_[0], pg::Pool::Settings{.url = config_.database_worker}, metrics_, worker_health_);
    upkeep_database_ = std::make_unique<pg::Pool>(
        loops_[0], pg::Pool::Settings{.url = config_.database_worker}, metrics_, worker_health_);
    upkeep_ = std::make_unique<Upkeep>(*worker_database_, *upkeep_database_, metrics_);
    jobs_ = std::make_unique<JobThread>(config_, keyring_, *storage_, metrics_);
    log_ = std::make_unique<LogThread>(config_, keyring_, process_, metrics_);
    exchange_ =
        std::make_unique<rates::UsageExchange>(loops_[0], *worker_database_, rates_, key_use_);
    asio::co_spawn(loops_[0], check_schema(), asio::detached);
    signals_.async_wait([this](boost::system::error_code error, int) {
      if (!error) stop();
    });
    if (tls_) asio::co_spawn(loops_[0], tls_->watch(), asio::detached);
    await_hangup();
    loops_.run();
    log_.reset();
    kafka_.reset();
    jobs_->join();
    storage_.reset();  // after this, no storage thread calls back into a job
    jobs_.reset();
    exchange_.reset();
    upkeep_.reset();
    upkeep_database_.reset();
    worker_database_.reset();
    parts_.clear();
    observe::log(Level::info, "stopped");
    return exit_code_;
  }

 private:
  void open_listeners() {
    tcp::endpoint endpoint = endpoint_of(loops_[0], config_.listen);
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      auto acceptor = http::listen(loops_[i], endpoint);
      endpoint = acceptor.local_endpoint();  // if the port is 0, the system has now chosen one
      LoopParts parts;
      parts.database = std::make_unique<pg::Pool>(
          loops_[i],
          pg::Pool::Settings{.url = config_.database_api,
                             .shared = config_.database_connections,
                             .writing = config_.database_write_connections},
          metrics_, health_);
      parts.keys = std::make_unique<keys::KeyCheck>(
          *parts.database, keyring_, rates_, key_use_, metrics_,
          kafka_ ? limits::kKeysWithoutDatabase : std::chrono::seconds{0});
      parts.server = std::make_unique<http::Server>(
          loops_[i], std::move(acceptor),
          http::Pipeline{{.router = &router_,
                          .base_path = config_.base_path,
                          .database = parts.database.get(),
                          .keys = parts.keys.get(),
                          .rates = &rates_,
                          .clock = &system_clock(),
                          .keyring = &keyring_,
                          .storage = storage_.get(),
                          .memory = &request_memory_,
                          .metrics = &metrics_,
                          .log_requests = config_.log_requests,
                          .retire_deprecated = config_.retire_deprecated}},
          metrics_,
          http::ListenerOptions{.tls = tls_ ? &*tls_ : nullptr,
                                .trusted_proxies = config_.trusted_proxies,
                                .connections = &address_limit_});
      parts.server->start();
      parts_.push_back(std::move(parts));
    }
    auto acceptor = http::listen(loops_[0], endpoint_of(loops_[0], config_.private_listen));
    const auto private_endpoint = acceptor.local_endpoint();
    private_server_ = std::make_unique<http::Server>(loops_[0], std::move(acceptor),
                                                     http::Pipeline{{.router = &private_router_,
                                                                     .base_path = "",
                                                                     .database = nullptr,
                                                                     .keys = nullptr,
                                                                     .rates = nullptr,
                                                                     .clock = &system_clock(),
                                                                     .keyring = nullptr,
                                                                     .storage = nullptr,
                                                                     .memory = nullptr,
                                                                     .metrics = &metrics_,
                                                                     .log_requests = false}},
                                                     metrics_);
    private_server_->start();
    observe::log(Level::info, "listening",
                 {{"url", url_of(tls_ ? "https" : "http", endpoint)},
                  {"privateUrl", url_of("http", private_endpoint)},
                  {"threads", loops_.size()}});
    observe::flush_logs();
  }

  // Retries until the schema is up to date. At start the database may be unavailable, or may
  // still lack migrations.
  asio::awaitable<void> check_schema() {
    while (true) {
      try {
        co_await parts_[0].database->wait_connected(pg::Steady::now() + limits::kRequestDeadline);
        const pg::Result result =
            co_await parts_[0].database->query({}, config::sql::count_migrations);
        const auto found = result[0].integer("count");
        if (found >= schema_version()) {
          co_await ensure_event_partition();
          readiness_.set_schema_trouble("");
          // Wait until every loop has its connections before reporting ready.
          while (!health_.trouble().empty())
            co_await runtime::sleep_for(std::chrono::milliseconds{5});
          // After a downgrade the schema is newer. It stays compatible with the previous release.
          if (found > schema_version())
            observe::log(Level::warn, "schema newer",
                         {{"schema", found}, {"known", schema_version()}});
          observe::log(Level::info, "ready", {{"schema", found}});
          observe::flush_logs();
          upkeep_->start(loops_[0]);
          asio::co_spawn(loops_[0], exchange_->run(), asio::detached);
          jobs_->start();
          log_->start();
          if (kafka_) kafka_->start_reading();
          co_return;
        }
        const std::string why = std::format(
            "the schema is at migration {}, this binary needs {}: run `shopbell "
            "migrate`",
            found, schema_version());
        if (readiness_.set_schema_trouble(why)) {
          observe::log(Level::error, "schema too old", {{"why", why}});
        }
      } catch (const pg::Error& error) {
        // The connections for requests are all open, so it was the worker's connection that failed.
        if (!error.is_outage() || health_.trouble().empty())
          readiness_.set_schema_trouble(error.what());
      }
      co_await runtime::sleep_for(std::chrono::milliseconds{200});
    }
  }

  // If no process ran for months, this month has no partition, and the first event would fail.
  asio::awaitable<void> ensure_event_partition() {
    co_await worker_database_->wait_connected(pg::Steady::now() + limits::kRequestDeadline);
    while (
        !(co_await upkeep_->keep_event_partitions() && co_await upkeep_->keep_other_partitions())) {
      readiness_.set_schema_trouble("this month's partition of events is being created");
      co_await runtime::sleep_for(std::chrono::milliseconds{50});
    }
  }

  // SIGHUP reloads the TLS certificate; without TLS it is ignored instead of ending the process.
  void await_hangup() {
    hangup_.async_wait([this](boost::system::error_code error, int) {
      if (error) return;
      if (tls_) tls_->reload();
      await_hangup();
    });
  }

  // Runs on loop 0: reports not ready, drains every loop, then stops. After a timeout or a second
  // signal it stops without draining.
  void stop() {
    observe::log(Level::info, "draining");
    readiness_.start_draining();
    auto left = std::make_shared<std::atomic<std::size_t>>(parts_.size() + 4);
    const auto ended = [this, left] {
      if (--*left == 0) loops_.stop();
    };
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      asio::co_spawn(loops_[i], parts_[i].server->drain(),
                     [ended](const std::exception_ptr&) { ended(); });
    }
    upkeep_->stop(ended);
    jobs_->stop(ended);
    log_->stop(ended);
    if (kafka_) {
      kafka_->stop(ended);
    } else {
      ended();
    }
    give_up_.expires_after(limits::kDrainMost);
    give_up_.async_wait([this](boost::system::error_code error) {
      if (!error) end_at_once("shutdown timed out");
    });
    signals_.async_wait([this](boost::system::error_code error, int) {
      if (!error) end_at_once("second signal");
    });
  }

  void end_at_once(std::string_view why) {
    observe::log(Level::warn, "not drained", {{"why", why}});
    exit_code_ = EXIT_FAILURE;
    loops_.stop();
  }

  const Config& config_;
  const keyring::Keyring keyring_;
  const Uuid process_ = Uuid::v7(system_clock().now());
  observe::Metrics metrics_;
  rates::RateLimits rates_{metrics_};
  rates::KeyUse key_use_;
  http::RequestMemory request_memory_{metrics_};
  http::AddressLimit address_limit_;
  pg::Health health_;
  pg::Health worker_health_;  // does not affect readiness: requests do not need it
  std::unique_ptr<storage::Storage> storage_;
  std::unique_ptr<KafkaThread> kafka_;  // null if no intake topic is configured
  const http::Router router_;
  Readiness readiness_;
  std::optional<http::Tls> tls_;
  const http::Router private_router_;
  runtime::Loops loops_;
  asio::signal_set signals_;
  asio::signal_set hangup_{loops_[0], SIGHUP};
  asio::steady_timer give_up_{loops_[0]};
  std::vector<LoopParts> parts_;
  std::unique_ptr<pg::Pool> worker_database_;  // worker role: partitions and rates
  std::unique_ptr<pg::Pool> upkeep_database_;  // worker role: chores that may take seconds
  std::unique_ptr<Upkeep> upkeep_;
  std::unique_ptr<rates::UsageExchange> exchange_;
  std::unique_ptr<JobThread> jobs_;
  std::unique_ptr<LogThread> log_;
  std::unique_ptr<http::Server> private_server_;
  int exit_code_ = EXIT_SUCCESS;
};

}  // namespace

int run_service(const Config& config) { return Service{config}.run(); }

}  // namespace shopbell::app
