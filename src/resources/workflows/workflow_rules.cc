#include "resources/workflows/workflow_rules.h"

#include <algorithm>
#include <format>

#include "base/limits.h"
#include "base/problem.h"
#include "resources/workflows/definition_check.h"
#include "resources/workflows/interest.h"
#include "resources/workflows/known_types.h"
#include "resources/workflows/workflow_json.h"
#include "resources/workflows/workflow_numbers.h"
#include "resources/workflows/workflow_store.h"

namespace shopbell::workflows {

namespace {

std::vector<Fault> faults_of(const json::Reading& reading) {
  try {
    reading.finish();
  } catch (const Problem& problem) {
    return problem.faults();
  }
  return {};
}

void refuse_finished(const Workflow& workflow) {
  if (workflow.status == "finished")
    throw Problem{
        Code::workflow_finished,
        std::format("The workflow {} is finished and cannot be changed.", workflow.alias)};
}

Workflow with_status(pg::Group& effect, std::int64_t account, Workflow workflow, std::string status,
                     Instant now) {
  workflow.status = std::move(status);
  workflow.updated_at = now;
  update_state(effect, account, workflow);
  raise_interest(effect, account, {});
  return workflow;
}

}  // namespace

Workflow read_sent(const json::Value& body, json::Reading& reading, bool is_new) {
  Workflow sent;
  const auto changes = workflow_json().read_new(body, reading);
  changes.apply_to(sent);
  if (is_new && body.type() == json::Type::object && !body.member("alias")) {
    const json::Reading::Place place{reading, "alias"};
    reading.refuse("required", "Is missing.");
  }
  return sent;
}

References check_sent(const Workflow& workflow, const KnownWorld& world) {
  const auto document = json::Document::parse_body(definition_of(workflow));
  json::Reading reading;
  References named = check_definition(reading, document.root(), world);
  const auto faults = faults_of(reading);
  if (faults.empty()) return named;
  throw Problem{Code::workflow_invalid,
                faults.size() == 1 ? std::format("{}: {}", faults[0].at, faults[0].detail)
                                   : std::format("The definition has {} faults.", faults.size()),
                faults};
}

Workflow existing(std::optional<Workflow> found) {
  if (!found) throw Problem{Code::not_found, "There is no workflow of that id or alias."};
  return std::move(*found);
}

void read_new(pg::Group& reads, std::int64_t account, const Workflow& sent) {
  read_world(reads, account);
  read_workflow(reads, account, sent.alias);
  read_workflow_count(reads, account);
  read_currency(reads, account);
}

Workflow create(pg::Group& effect, std::int64_t account, Workflow sent,
                std::span<const pg::Result> results, Instant now) {
  const References named = check_sent(sent, found_world(results));
  results = results.subspan(kWorldReads);
  if (found_workflow(results[0]))
    throw Problem{Code::alias_taken, std::format("Another workflow has the alias {}.", sent.alias)};
  if (found_workflow_count(results[1]) >= limits::kWorkflows)
    throw Problem{Code::limit_reached,
                  std::format("An account can have at most {} workflows.", limits::kWorkflows)};
  sent.id = Uuid::v7(now);
  sent.draft_version = 1;
  sent.stats.revenue = money_of("0", found_currency(results[2]));
  sent.created_at = sent.updated_at = now;
  insert_workflow(effect, account, sent, named);
  return sent;
}

void read_for_draft(pg::Group& reads, std::int64_t account, const std::string& name) {
  read_world(reads, account);
  read_workflow(reads, account, name);
}

Workflow save_draft(pg::Group& effect, std::int64_t account, const Workflow& sent,
                    std::span<const pg::Result> results, Instant now) {
  const References named = check_sent(sent, found_world(results));
  const Workflow before = existing(found_workflow(results[kWorldReads]));
  if (!sent.alias.empty() && sent.alias != before.alias)
    throw Problem{Code::invalid_body,
                  "The alias cannot be changed.",
                  {{Fault::Where::pointer, "/alias", "read-only", "Cannot be changed."}}};
  refuse_finished(before);
  Workflow after = sent;
  after.id = before.id;
  after.alias = before.alias;
  after.status = before.status;
  after.active_version = before.active_version;
  after.draft_version = before.draft_version.value_or(before.active_version.value_or(0) + 1);
  after.shown_version = *after.draft_version;
  after.stats = before.stats;
  after.activated_at = before.activated_at;
  after.created_at = before.created_at;
  after.updated_at = now;
  after.version = before.version;
  replace_draft(effect, account, before, after, named);
  return after;
}

void read_for_publishing(pg::Group& reads, std::int64_t account, const std::string& name) {
  read_workflow(reads, account, name);
  read_draft(reads, account, name);
  read_world(reads, account);
}

Workflow publish(pg::Group& effect, std::int64_t account, std::span<const pg::Result> results,
                 Instant now) {
  Workflow before = existing(found_workflow(results[0]));
  refuse_finished(before);
  auto after = found_workflow(results[1]);
  if (!after) return before;  // there is no draft to publish
  if (after->status == "draft") after->status = "active";
  after->active_version = after->shown_version = *after->draft_version;
  after->draft_version.reset();
  if (!after->activated_at) after->activated_at = now;
  after->updated_at = now;
  const KnownWorld world = found_world(results.subspan(2));
  check_sent(*after, world);  // fields and event types may have changed since the draft was saved
  publish_draft(effect, account, before, *after);
  const engine::Definition definition =
      compiled(definition_of(*after), after->shown_version, known_types(world));
  plan_schedule(effect, account, *after, definition.trigger.schedule.has_value());
  raise_interest(effect, account, kinds_of(definition));
  return std::move(*after);
}

Workflow pause(pg::Group& effect, std::int64_t account, Workflow workflow, Instant now) {
  refuse_finished(workflow);
  if (workflow.status != "active") return workflow;
  return with_status(effect, account, std::move(workflow), "paused", now);
}

Workflow resume(pg::Group& effect, std::int64_t account, Workflow workflow, Instant now) {
  refuse_finished(workflow);
  if (workflow.status != "paused") return workflow;
  return with_status(effect, account, std::move(workflow), "active", now);
}

Workflow finish(pg::Group& effect, std::int64_t account, Workflow workflow, std::string mode,
                Instant now) {
  if (workflow.status == "finished") return workflow;  // its runs can still be stopped
  workflow.status = "finished";
  workflow.finish_mode = std::move(mode);
  workflow.finished_at = workflow.updated_at = now;
  end_workflow(effect, account, workflow);
  raise_interest(effect, account, {});
  return workflow;
}

std::optional<runs::Command> command_of_change(const Workflow& before, const Workflow& after,
                                               std::string_view mode) {
  if (!after.active_version) return std::nullopt;  // it has no runs
  if (before.status == "paused" && after.status == "active")
    return runs::Command{.workflow = after.id, .kind = "release", .why = {}, .nodes = {}};
  if (after.status == "finished" && mode == "stop")
    return runs::Command{.workflow = after.id, .kind = "end", .why = "finished", .nodes = {}};
  return std::nullopt;
}

runs::Command moves_of(json::Reading& reading, const Workflow& published,
                       const std::map<std::string, std::string>& nodes,
                       const std::set<std::string>& known) {
  const auto targets = node_ids(published);
  const json::Reading::Place map{reading, "nodes"};
  for (const auto& [from, to] : nodes) {
    const json::Reading::Place member{reading, from};
    if (!known.contains(from))
      reading.refuse("not-an-option", "No version has had people at a node of this id.");
    if (!std::ranges::contains(targets, to))
      reading.refuse("not-an-option",
                     std::format("The version {} has no node {}.", published.shown_version, to));
  }
  return {.workflow = published.id,
          .kind = "move",
          .why = {},
          .version = published.active_version.value_or(0),
          .nodes = nodes};
}

}  // namespace shopbell::workflows
