// Dry run: lets a contact go through one workflow on a virtual clock, without any effect.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/rehearsal.h"
#include "json/fields.h"
#include "resources/workflows/workflow.h"

namespace shopbell::workflows {

// A dry run as the caller asks for it.
struct DryRun {
  std::optional<json::Raw> contact;  // as GET /contacts/ returns it, or only identifiers
  std::optional<json::Raw> event;    // {"kind": …, "data": {…}}; none for a schedule
  std::optional<Instant> at;         // default: now
  std::optional<Instant> until;      // default: 90 days later
};

struct DryStep {
  std::string node;
  std::optional<std::string> edge;
  Instant at;
  std::string cause;
};
struct DryRunPath {
  std::string state;
  Instant started_at;
  std::optional<Instant> due_at;
  std::optional<std::string> why;
  std::vector<DryStep> trail;
};
struct DryOutcome {
  Instant at;
  std::string what;
  std::optional<std::string> detail;
};
struct DryRunResult {
  bool complete = true;
  std::vector<DryRunPath> runs;
  std::vector<DryOutcome> outcomes;
};

const json::Table<DryRun>& dry_run_json();
const json::Table<DryRunResult>& dry_run_result_json();

// The event of a dry run.
struct DryEvent {
  std::string kind;
  std::string data;  // JSON
};
// Reads the event. Refuses one that the workflow cannot be started by, and a missing one.
std::optional<DryEvent> read_event(json::Reading& reading, const DryRun& asked,
                                   const engine::Definition& definition);

// Rehearses the definition with a contact and a store as clients see them.
DryRunResult rehearse(std::int64_t account, const Workflow& workflow, engine::Definition definition,
                      engine::Data contact, engine::Data store,
                      const std::optional<DryEvent>& event, Instant at, Instant until);

}  // namespace shopbell::workflows
