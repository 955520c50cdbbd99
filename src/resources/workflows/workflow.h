// Workflow: an automation that an event or a schedule starts for a contact. Every version of its
// definition is stored whole; a published version never changes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "base/uuid.h"
#include "json/field_kinds.h"
#include "resources/workflows/money.h"

namespace shopbell::workflows {

// Statistics of a workflow. They count contacts, not runs.
struct Stats {
  std::int64_t entered = 0;
  std::int64_t active = 0;
  std::int64_t completed = 0;
  std::int64_t exited = 0;
  std::int64_t converted = 0;
  Money revenue;
};

struct Workflow {
  Uuid id;
  std::string alias;
  std::string name;
  std::optional<std::string> description;
  std::string status = "draft";  // "draft", "active", "paused" or "finished"
  bool running = false;          // runs start
  std::int64_t shown_version = 1;
  std::optional<std::int64_t> active_version;  // the version published last
  std::optional<std::int64_t> draft_version;   // the version not published yet
  std::int64_t priority = 0;
  std::vector<std::string> tags;
  std::optional<json::Raw> trigger;
  std::optional<json::Raw> reentry;
  std::optional<json::Raw> exit_on;
  std::optional<json::Raw> goal;
  std::optional<json::Raw> quiet_hours;
  std::optional<json::Raw> send_window;
  std::optional<json::Raw> nodes;
  Stats stats;
  std::optional<Instant> activated_at;
  std::optional<Instant> finished_at;
  std::optional<std::string> finish_mode;  // "drain" or "stop"
  Instant created_at;
  Instant updated_at;
  std::int64_t version = 1;  // version of the row, for guarded writes
};

}  // namespace shopbell::workflows
