#include "automation/definition_cache.h"

#include <algorithm>

#include "automation/queries.h"
#include "base/limits.h"
#include "json/document.h"
#include "json/writer.h"
#include "observe/log.h"
#include "pg/columns.h"
#include "resources/contact_fields/contact_field_store.h"
#include "resources/workflows/known_types.h"
#include "resources/workflows/store_data.h"
#include "resources/workflows/workflow_store.h"

namespace shopbell::automation {

namespace {

constexpr std::size_t kBytesPerSource = 12;  // compiled definitions, per byte of their JSON

pg::Scope scope_of(std::int64_t account) {
  return {.account = account, .deadline = pg::Steady::now() + limits::kLogTransaction};
}

// Compiles versions and adds them to their workflows. A version that names something that the
// account no longer has cannot run any more; its runs stay as they are.
std::size_t add_compiled(const pg::Result& versions, AccountWorkflows& known) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const pg::Row row = versions[i];
    const Uuid workflow = row.uuid("workflow_id");
    const std::int64_t version = row.integer("version");
    const std::string_view source = row.view("definition");
    const auto found = known.workflows.find(workflow);
    if (found == known.workflows.end()) continue;
    try {
      found->second.versions[version] = std::make_shared<const engine::Definition>(
          workflows::compiled(source, version, known.types));
    } catch (const std::exception& error) {
      observe::log(
          observe::Level::error, "workflow version unusable",
          {{"workflow", workflow.to_string()}, {"version", version}, {"why", error.what()}});
      continue;
    }
    const auto document = json::Document::parse(source);
    known.facts[{workflow, version}] = definition_facts_of(source);
    if (found->second.active_version == version)
      if (const auto priority = document->root().member("priority"))
        found->second.priority = std::stoll(std::string{priority->number_text()});
    bytes += source.size() * kBytesPerSource;
  }
  return bytes;
}

}  // namespace

std::shared_ptr<AccountWorkflows> DefinitionCache::remembered(std::int64_t account) {
  const auto* found = accounts_.find(account);
  return found == nullptr ? nullptr : *found;
}

boost::asio::awaitable<std::shared_ptr<AccountWorkflows>> DefinitionCache::get(
    std::int64_t account, AccountVersions versions) {
  auto known = remembered(account);
  if (known && known->versions.interest >= versions.interest &&
      known->versions.fields >= versions.fields && known->versions.store >= versions.store)
    co_return known;
  co_return co_await read(account);
}

boost::asio::awaitable<std::shared_ptr<AccountWorkflows>> DefinitionCache::read(
    std::int64_t account) {
  // The versions come first: what is read after them is at least as new.
  pg::Group reads;
  reads.add(sql::get_account_of_lanes, account);
  workflows::read_types(reads, account);
  reads.add(sql::list_workflows_of_account, account);
  const pg::Results found = co_await database_.run(std::move(reads), scope_of(account));
  auto known = std::make_shared<AccountWorkflows>();
  if (found[0].empty()) co_return known;  // the account is deleted
  const pg::Row row = found[0][0];
  known->versions = {.interest = row.integer("interest"),
                     .fields = row.integer("fields"),
                     .store = row.integer("store")};
  known->store = workflows::store_data(row);
  known->types = workflows::known_types(workflows::found_types(std::span{found}.subspan(1, 2)));
  known->fields = std::make_shared<const contact_fields::FieldSet>(
      co_await contact_fields::load_fields(database_, scope_of(account)));
  std::set<std::pair<Uuid, std::int64_t>> active;
  for (std::size_t i = 0; i < found[3].size(); ++i) {
    const pg::Row one = found[3][i];
    engine::Workflow workflow{.id = one.uuid("workflow_id"), .versions = {}};
    const std::string_view status = one.view("status");
    workflow.paused = status == "paused";
    workflow.active_since = one.maybe_instant("activated_at");
    if (status != "finished") {
      workflow.active_version = one.integer("active_version");
      active.emplace(workflow.id, workflow.active_version);
    }
    known->workflows.emplace(workflow.id, std::move(workflow));
  }
  co_await add_versions(account, *known, std::move(active));
  known->index_triggers();
  std::size_t bytes = sizeof(AccountWorkflows) + known->fields->bytes();
  bytes += known->workflows.size() * limits::kWorkflowBytes;
  accounts_.put(account, known, bytes);
  co_return known;
}

boost::asio::awaitable<void> DefinitionCache::add_versions(
    std::int64_t account, AccountWorkflows& known, std::set<std::pair<Uuid, std::int64_t>> wanted) {
  pg::Columns columns;
  for (const auto& [workflow, version] : wanted) columns.add(workflow, version);
  pg::Group reads;
  columns.add_to(reads, sql::list_versions, account);
  if (reads.empty()) co_return;
  const pg::Results found = co_await database_.run(std::move(reads), scope_of(account));
  add_compiled(found[0], known);
}

}  // namespace shopbell::automation
