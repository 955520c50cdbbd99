// Workflows in the database. Only this file uses their queries.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "pg/group.h"
#include "pg/pool.h"
#include "resources/workflows/known_world.h"
#include "resources/workflows/workflow.h"

namespace shopbell::workflows {

// Reads a workflow by id or alias, with the definition published last, else with its draft.
void read_workflow(pg::Group& reads, std::int64_t account, const std::string& name);
// Reads a workflow with its draft; finds nothing if it has no draft.
void read_draft(pg::Group& reads, std::int64_t account, const std::string& name);
std::optional<Workflow> found_workflow(const pg::Result& result);

void read_workflow_count(pg::Group& reads, std::int64_t account);
std::int64_t found_workflow_count(const pg::Result& result);

// Reads the store's currency, in which revenue is shown.
void read_currency(pg::Group& reads, std::int64_t account);
std::string found_currency(const pg::Result& result);

// Reads the account's fields and event types: two results. Found without templates and coupon sets.
inline constexpr std::size_t kTypeReads = 2;
void read_types(pg::Group& reads, std::int64_t account);
KnownWorld found_types(std::span<const pg::Result> results);

// Reads the objects that definitions can name: four results.
inline constexpr std::size_t kWorldReads = 4;
void read_world(pg::Group& reads, std::int64_t account);
KnownWorld found_world(std::span<const pg::Result> results);

// Guarded writes: each raises a conflict (SB001) if the rows changed after they were read.
void insert_workflow(pg::Group& effect, std::int64_t account, const Workflow& workflow,
                     const References& named);
// Replaces the draft; `after` is the workflow with the new draft.
void replace_draft(pg::Group& effect, std::int64_t account, const Workflow& before,
                   const Workflow& after, const References& named);
// Publishes the draft. Objects that only earlier versions name can be deleted again.
void publish_draft(pg::Group& effect, std::int64_t account, const Workflow& before,
                   const Workflow& after);
void update_state(pg::Group& effect, std::int64_t account, const Workflow& after);
// Ends the workflow. The objects that its definition names can be deleted again.
// Plans the times of the schedule of a version, or forgets those of earlier versions.
void plan_schedule(pg::Group& effect, std::int64_t account, const Workflow& published,
                   bool has_schedule);
void end_workflow(pg::Group& effect, std::int64_t account, const Workflow& after);

struct Listing {
  std::optional<std::string> after;
  bool ascending = false;
  std::optional<std::string> status;
  std::int64_t limit = 0;
};
boost::asio::awaitable<std::vector<Workflow>> list_workflows(pg::Pool& database, pg::Scope scope,
                                                             Listing listing);

}  // namespace shopbell::workflows
