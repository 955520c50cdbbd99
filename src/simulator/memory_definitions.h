// MemoryDefinitions: the definitions that one simulated process remembers.
#pragma once

#include <memory>
#include <set>
#include <utility>

#include "automation/account_workflows.h"
#include "simulator/world.h"

namespace shopbell::simulator {

class MemoryDefinitions : public automation::Definitions {
 public:
  MemoryDefinitions(const World& world, Mechanism removed) : world_{world}, removed_{removed} {}

  std::shared_ptr<automation::AccountWorkflows> remembered(std::int64_t account) override;
  boost::asio::awaitable<std::shared_ptr<automation::AccountWorkflows>> get(
      std::int64_t account, automation::AccountVersions versions) override;
  boost::asio::awaitable<void> add_versions(
      std::int64_t account, automation::AccountWorkflows& known,
      std::set<std::pair<Uuid, std::int64_t>> wanted) override;

  // As after a start of the process.
  void forget() { known_ = nullptr; }

 private:
  void add(automation::AccountWorkflows& known, const Uuid& workflow, std::int64_t version) const;

  const World& world_;
  const Mechanism removed_;
  std::shared_ptr<automation::AccountWorkflows> known_;
};

}  // namespace shopbell::simulator
