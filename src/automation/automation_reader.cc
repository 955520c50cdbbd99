#include "automation/automation_reader.h"

#include "automation/batch.h"
#include "automation/postgres_store.h"
#include "base/limits.h"

namespace shopbell::automation {

namespace {

// Objects that every batch needs.
struct Surroundings {
  DefinitionCache& definitions;
  const keyring::Keyring& keyring;
  observe::Counter& parked;
  bool has_planned = false;  // a batch planned messages since the last commit
};

boost::asio::awaitable<event_log::Reacted> react(Surroundings& with, pg::Transaction& transaction,
                                                 pg::Group opening, const event_log::Work& work) {
  PostgresStore store{transaction, std::move(opening), with.keyring};
  Batch batch{store, with.definitions, work};
  event_log::Reacted reacted;
  reacted.armed = co_await batch.run();
  if (batch.parked() > 0) with.parked.add(static_cast<double>(batch.parked()));
  with.has_planned = with.has_planned || batch.has_planned();
  reacted.writes = store.take_writes();
  co_return reacted;
}

}  // namespace

event_log::Reader automation_reader(DefinitionCache& definitions, const keyring::Keyring& keyring,
                                    observe::Metrics& metrics, std::function<void()> planned) {
  const auto with = std::make_shared<Surroundings>(
      definitions, keyring,
      metrics.counter("shopbell_runs_parked_total", "Runs of workflows that were parked."));
  return {.name = "automation",
          .payloads = true,
          .some_accounts = true,
          .react =
              [with](pg::Transaction& transaction, pg::Group opening, const event_log::Work& work) {
                return react(*with, transaction, std::move(opening), work);
              },
          .timers = true,
          .pipelines = limits::kAutomationPipelines,
          // Pipelines commit in turn: a call may come before the commit that planned. The claims
          // poll too.
          .committed =
              [with, planned = std::move(planned)] {
                if (std::exchange(with->has_planned, false)) planned();
              }};
}

}  // namespace shopbell::automation
