#include "resources/workflows/workflow_store.h"

#include <stdexcept>

#include "base/limits.h"
#include "json/document.h"
#include "resources/workflows/queries.h"
#include "resources/workflows/workflow_json.h"

namespace shopbell::workflows {

namespace {

Workflow workflow_of(const pg::Row& row) {
  Workflow workflow{.id = row.uuid("workflow_id"),
                    .alias = row.text("alias"),
                    .status = row.text("status"),
                    .active_version = row.maybe_integer("active_version"),
                    .draft_version = row.maybe_integer("draft_version"),
                    .activated_at = row.maybe_instant("activated_at"),
                    .finished_at = row.maybe_instant("finished_at"),
                    .created_at = row.instant("created_at"),
                    .updated_at = row.instant("updated_at"),
                    .version = row.integer("version")};
  workflow.shown_version = workflow.active_version.value_or(workflow.draft_version.value_or(1));
  workflow.stats = {.entered = row.integer("entered"),
                    .active = row.integer("active"),
                    .completed = row.integer("completed"),
                    .exited = row.integer("exited"),
                    .converted = row.integer("converted"),
                    .revenue = money_of(row.view("revenue"), row.text("currency"))};
  read_definition(row.view("definition"), workflow);
  return workflow;
}

json::Document document_of(std::string_view text) {
  auto document = json::Document::parse(text);
  if (!document) throw std::logic_error{"a stored object of the account is not JSON"};
  return std::move(*document);
}

ValueType type_of_stored_field(const pg::Row& row) {
  std::vector<std::string> options;
  const auto document = document_of(row.view("options"));
  document.root().for_each([&](std::string_view, const json::Value& option) {
    if (const auto id = option.member("id")) options.emplace_back(id->text());
  });
  return type_of_field(row.view("type"), std::move(options));
}

ByName<Uuid> by_name(const pg::Result& result) {
  ByName<Uuid> things;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Uuid id = result[i].uuid("id");
    things.emplace(result[i].text("alias"), id);
    things.emplace(id.to_string(), id);
  }
  return things;
}

std::vector<Uuid> listed_ids(const std::set<Uuid>& ids) { return {ids.begin(), ids.end()}; }

void insert_version(pg::Group& effect, std::int64_t account, const Workflow& workflow,
                    const References& named) {
  effect.add(sql::insert_version, account, workflow.id, *workflow.draft_version,
             definition_of(workflow), workflow.updated_at);
  effect.add(sql::insert_references, account, workflow.id, *workflow.draft_version,
             std::vector<std::string>(named.fields.begin(), named.fields.end()),
             listed_ids(named.event_types), listed_ids(named.templates),
             listed_ids(named.coupon_sets));
}

}  // namespace

void read_workflow(pg::Group& reads, std::int64_t account, const std::string& name) {
  reads.add(sql::get_workflow, account, name, Uuid::parse(name));
}

void read_draft(pg::Group& reads, std::int64_t account, const std::string& name) {
  reads.add(sql::get_draft, account, name, Uuid::parse(name));
}

std::optional<Workflow> found_workflow(const pg::Result& result) {
  return result.first().transform(workflow_of);
}

void read_workflow_count(pg::Group& reads, std::int64_t account) {
  reads.add(sql::count_workflows, account);
}

std::int64_t found_workflow_count(const pg::Result& result) {
  return result[0].integer("workflows");
}

void read_currency(pg::Group& reads, std::int64_t account) {
  reads.add(sql::get_currency, account);
}

std::string found_currency(const pg::Result& result) { return result[0].text("currency"); }

void read_types(pg::Group& reads, std::int64_t account) {
  reads.add(sql::list_known_fields, account);
  reads.add(sql::list_known_event_types, account);
}

void read_world(pg::Group& reads, std::int64_t account) {
  read_types(reads, account);
  reads.add(sql::list_known_templates, account);
  reads.add(sql::list_known_coupon_sets, account);
}

KnownWorld found_world(std::span<const pg::Result> results) {
  KnownWorld world = found_types(results);
  world.templates = by_name(results[kTypeReads]);
  world.coupon_sets = by_name(results[kTypeReads + 1]);
  return world;
}

KnownWorld found_types(std::span<const pg::Result> results) {
  KnownWorld world;
  for (std::size_t i = 0; i < results[0].size(); ++i)
    world.fields.emplace(results[0][i].text("id"), type_of_stored_field(results[0][i]));
  for (std::size_t i = 0; i < results[1].size(); ++i) {
    const pg::Row row = results[1][i];
    const auto fields = document_of(row.view("fields"));
    KnownEventType type{row.uuid("event_type_id"),
                        type_of_fields(fields.root(), row.view("additional_members") == "keep")};
    row.view("direction") == "send" ? world.senders.emplace(type.id.to_string(), std::move(type))
                                    : world.event_types.emplace(row.text("alias"), std::move(type));
  }
  return world;
}

void insert_workflow(pg::Group& effect, std::int64_t account, const Workflow& workflow,
                     const References& named) {
  effect.add(sql::lock_store, account);  // serializes creates: the limit is exact
  effect.add(sql::require_room_for_workflow, account, limits::kWorkflows);
  effect.add(sql::insert_workflow, account, workflow.id, workflow.alias, workflow.name,
             workflow.created_at);
  insert_version(effect, account, workflow, named);
}

void update_state(pg::Group& effect, std::int64_t account, const Workflow& after) {
  effect.add(sql::update_workflow, account, after.id, after.version, after.name, after.status,
             after.active_version, after.draft_version, after.finish_mode, after.activated_at,
             after.finished_at, after.updated_at);
}

void replace_draft(pg::Group& effect, std::int64_t account, const Workflow& before,
                   const Workflow& after, const References& named) {
  Workflow row = after;
  if (before.active_version) row.name = before.name;  // lists show the published name
  update_state(effect, account, row);
  if (before.draft_version)
    effect.add(sql::delete_draft, account, before.id, *before.draft_version);
  insert_version(effect, account, after, named);
}

void publish_draft(pg::Group& effect, std::int64_t account, const Workflow& before,
                   const Workflow& after) {
  update_state(effect, account, after);
  effect.add(sql::publish_version, account, before.id, *before.draft_version, after.updated_at);
  effect.add(sql::delete_references, account, before.id, before.draft_version);
}

void plan_schedule(pg::Group& effect, std::int64_t account, const Workflow& published,
                   bool has_schedule) {
  if (has_schedule) {
    effect.add(sql::plan_schedule, account, published.id, *published.active_version);
  } else {
    effect.add(sql::forget_schedule, account, published.id);
  }
}

void end_workflow(pg::Group& effect, std::int64_t account, const Workflow& after) {
  update_state(effect, account, after);
  effect.add(sql::forget_schedule, account, after.id);
  effect.add(sql::delete_references, account, after.id, std::nullopt);
}

boost::asio::awaitable<std::vector<Workflow>> list_workflows(pg::Pool& database, pg::Scope scope,
                                                             Listing listing) {
  const pg::Result found = co_await database.query(
      scope, listing.ascending ? sql::list_oldest_workflows : sql::list_newest_workflows,
      *scope.account, listing.after, listing.status, listing.limit);
  co_return found.map(workflow_of);
}

}  // namespace shopbell::workflows
