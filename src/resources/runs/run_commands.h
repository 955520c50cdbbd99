// Commands for many runs of a workflow: a job walks its runs and appends the events by which the
// lanes apply the command. A page of events commits together with the job's progress, so that no
// run is told twice and none is left out, whichever process goes on with the job.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "jobs/worker.h"
#include "pg/group.h"
#include "resources/runs/run_limits.h"

namespace shopbell::runs {

struct Command {
  Uuid workflow;
  std::string kind;  // "release": held runs; "end": unfinished runs; "move": runs at the nodes
  std::string why;   // of end
  std::int64_t version = 0;                  // of move: from earlier versions to this one
  std::map<std::string, std::string> nodes;  // of move: from old nodes to new ones
};

// Reads how many commands of the account still have runs to tell.
void read_unfinished_commands(pg::Group& reads, std::int64_t account);
// Queues the command. Throws limit-reached if too many are unfinished. The state of the workflow,
// with the raised interest, must be in the same group.
void queue_command(pg::Group& effect, std::int64_t account, const pg::Result& unfinished,
                   const Command& command, std::optional<Uuid> key, Instant now);

// The job. It pauses for `pace` after each page of runs.
jobs::Kind run_commands_kind(std::chrono::milliseconds pace = limits::kRunCommandsPace,
                             std::int64_t page = limits::kRunsLookedAt);

}  // namespace shopbell::runs
