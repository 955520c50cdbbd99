#include "automation/account_workflows.h"

namespace shopbell::automation {

bool AccountWorkflows::has_version(const Uuid& workflow, std::int64_t version) const {
  const auto found = workflows.find(workflow);
  return found != workflows.end() && found->second.versions.contains(version);
}

}  // namespace shopbell::automation
