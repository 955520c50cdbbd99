#include "simulator/memory_definitions.h"

namespace shopbell::simulator {

using automation::AccountVersions;
using automation::AccountWorkflows;

std::shared_ptr<AccountWorkflows> MemoryDefinitions::remembered(std::int64_t) { return known_; }

void MemoryDefinitions::add(AccountWorkflows& known, const Uuid& workflow,
                            std::int64_t version) const {
  const auto& published = world_.tables.workflows.at(workflow).versions.at(version);
  known.workflows.at(workflow).versions[version] = published.compiled;
  known.facts[{workflow, version}] = automation::definition_facts_of(published.source);
}

boost::asio::awaitable<std::shared_ptr<AccountWorkflows>> MemoryDefinitions::get(
    std::int64_t, AccountVersions versions) {
  const bool is_fresh = known_ && (known_->versions.interest >= versions.interest ||
                                   removed_ == Mechanism::fresh_definitions);
  if (is_fresh) co_return known_;
  known_ = std::make_shared<AccountWorkflows>();
  known_->versions = {.interest = world_.interest, .fields = 1, .store = 1};
  known_->store = engine::Data{R"({"timeZone":"Europe/Berlin"})"};
  known_->workflows = world_.definitions();
  for (auto& [id, workflow] : known_->workflows) {
    workflow.versions.clear();  // the others are added when a run needs them
    if (workflow.active_version > 0) add(*known_, id, workflow.active_version);
  }
  known_->index_triggers();
  co_return known_;
}

boost::asio::awaitable<void> MemoryDefinitions::add_versions(
    std::int64_t, AccountWorkflows& known, std::set<std::pair<Uuid, std::int64_t>> wanted) {
  for (const auto& [workflow, version] : wanted)
    if (known.workflows.contains(workflow)) add(known, workflow, version);
  co_return;
}

}  // namespace shopbell::simulator
