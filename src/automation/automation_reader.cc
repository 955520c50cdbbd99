#include "automation/automation_reader.h"

#include "automation/batch.h"
#include "automation/postgres_store.h"
#include "base/limits.h"

namespace shopbell::automation {

namespace {

boost::asio::awaitable<event_log::Reacted> react(DefinitionCache& definitions,
                                                 const keyring::Keyring& keyring,
                                                 observe::Counter& parked,
                                                 pg::Transaction& transaction, pg::Group opening,
                                                 const event_log::Work& work) {
  PostgresStore store{transaction, std::move(opening), keyring};
  Batch batch{store, definitions, work};
  event_log::Reacted reacted;
  reacted.armed = co_await batch.run();
  if (batch.parked() > 0) parked.add(static_cast<double>(batch.parked()));
  reacted.writes = store.take_writes();
  co_return reacted;
}

}  // namespace

event_log::Reader automation_reader(DefinitionCache& definitions, const keyring::Keyring& keyring,
                                    observe::Metrics& metrics, std::function<void()> committed) {
  auto& parked =
      metrics.counter("shopbell_runs_parked_total", "Runs of workflows that were parked.");
  return {.name = "automation",
          .payloads = true,
          .some_accounts = true,
          .react =
              [&definitions, &keyring, &parked](pg::Transaction& transaction, pg::Group opening,
                                                const event_log::Work& work) {
                return react(definitions, keyring, parked, transaction, std::move(opening), work);
              },
          .timers = true,
          .pipelines = limits::kAutomationPipelines,
          .committed = std::move(committed)};
}

}  // namespace shopbell::automation
