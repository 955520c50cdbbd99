#include "app/service/job_thread.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "base/limits.h"
#include "resources/exports/export_job.h"
#include "resources/imports/import_job.h"
#include "resources/runs/run_commands.h"

namespace shopbell::app {

JobThread::JobThread(const Config& config, const keyring::Keyring& keyring,
                     storage::Storage& storage, observe::Metrics& metrics)
    : database_{thread_.loop(), {.url = config.database_worker}, metrics, health_},
      // Two connections per import, which writes one chunk while it reads the next.
      data_{thread_.loop(),
            {.url = config.database_api, .shared = 2 * limits::kJobsAtOnce},
            metrics,
            health_},
      worker_{thread_.loop(),
              database_,
              storage,
              {exports::export_kind(config.database_reader, storage),
               imports::import_kind(data_, database_, keyring, storage), runs::run_commands_kind()},
              metrics} {}

void JobThread::start() {
  boost::asio::co_spawn(thread_.loop(), worker_.run(), boost::asio::detached);
  thread_.start();
}

}  // namespace shopbell::app
