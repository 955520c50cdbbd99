// The rules of workflows, for requests and commands. The functions throw the Problem that refuses a
// change.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "json/reading.h"
#include "pg/group.h"
#include "pg/result.h"
#include "resources/runs/run_commands.h"
#include "resources/workflows/known_world.h"
#include "resources/workflows/workflow.h"

namespace shopbell::workflows {

// Reads a workflow from a request body. A new one must have an alias.
Workflow read_sent(const json::Value& body, json::Reading& reading, bool is_new);

// Checks the definition against the account's objects; throws workflow-invalid with every fault.
References check_sent(const Workflow& workflow, const KnownWorld& world);

Workflow existing(std::optional<Workflow> found);

// Each change has a function that adds its reads. `results` begins with the results of these reads.
void read_new(pg::Group& reads, std::int64_t account, const Workflow& sent);
Workflow create(pg::Group& effect, std::int64_t account, Workflow sent,
                std::span<const pg::Result> results, Instant now);
void read_for_draft(pg::Group& reads, std::int64_t account, const std::string& name);
Workflow save_draft(pg::Group& effect, std::int64_t account, const Workflow& sent,
                    std::span<const pg::Result> results, Instant now);
void read_for_publishing(pg::Group& reads, std::int64_t account, const std::string& name);
Workflow publish(pg::Group& effect, std::int64_t account, std::span<const pg::Result> results,
                 Instant now);
// The command that moves the runs of earlier versions at the nodes of the map. Throws invalid-body
// for a node that the published version does not have, or that nobody has ever reached.
runs::Command moves_of(json::Reading& reading, const Workflow& published,
                       const std::map<std::string, std::string>& nodes,
                       const std::set<std::string>& known);

Workflow pause(pg::Group& effect, std::int64_t account, Workflow workflow, Instant now);
Workflow resume(pg::Group& effect, std::int64_t account, Workflow workflow, Instant now);
// Finishes the workflow. Mode drain lets runs continue to their end; stop ends them at once. A
// workflow that was finished with drain can be stopped later.
Workflow finish(pg::Group& effect, std::int64_t account, Workflow workflow, std::string mode,
                Instant now);

// The command that the runs of the workflow need after a change of its state; nullopt: none.
std::optional<runs::Command> command_of_change(const Workflow& before, const Workflow& after,
                                               std::string_view mode);

}  // namespace shopbell::workflows
