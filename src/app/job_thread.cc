#include "app/job_thread.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "base/limits.h"
#include "resources/exports/export_job.h"
#include "resources/imports/import_job.h"

namespace shopbell::app {

JobThread::JobThread(const Config& config, const keyring::Keyring& keyring,
                     storage::Storage& storage, observe::Metrics& metrics)
    : work_{loop_.get_executor()},
      database_{loop_, {.url = config.database_worker}, metrics, health_},
      // An import writes a chunk while it reads for the next one.
      data_{
          loop_, {.url = config.database_api, .shared = 2 * limits::kJobsAtOnce}, metrics, health_},
      worker_{loop_,
              database_,
              storage,
              {exports::export_kind(config.database_reader, storage),
               imports::import_kind(data_, database_, keyring, storage)},
              metrics} {}

void JobThread::start() {
  boost::asio::co_spawn(loop_, worker_.run(), boost::asio::detached);
  thread_ = std::thread{[this] { loop_.run(); }};
}

void JobThread::stop(std::function<void()> stopped) {
  if (!thread_.joinable()) return stopped();
  boost::asio::co_spawn(loop_, worker_.stop(),
                        [stopped = std::move(stopped)](const std::exception_ptr&) { stopped(); });
}

void JobThread::join() {
  loop_.stop();
  if (thread_.joinable()) thread_.join();
}

}  // namespace shopbell::app
