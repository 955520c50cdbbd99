// Why a contact is where it is in a workflow: one sentence for each gate on the way.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/definition.h"
#include "json/fields.h"
#include "pg/group.h"
#include "pg/result.h"
#include "resources/contacts/contact.h"
#include "resources/workflows/workflow.h"
#include "resources/workflows/workflow_numbers.h"

namespace shopbell::workflows {

struct Gate {
  std::string gate;
  std::optional<bool> passed;  // nullopt: it only informs
  std::string text;
};
struct Why {
  Uuid workflow;
  Uuid contact;
  std::vector<Gate> gates;
};
const json::Table<Why>& why_json();

// What is stored of one contact in one workflow, newest first.
struct PastEnrolment {
  Instant started_at;
  std::optional<Instant> ended_at;
};
struct PastRun {
  Uuid id;
  std::string state;
  std::string node;
  std::optional<Instant> node_since;
  std::optional<Instant> due_at;
  std::optional<Instant> ended_at;
  std::optional<std::string> why;
};
struct PastMessage {
  Uuid run;
  std::string template_name;
  std::string state;
  std::optional<std::string> reason;
  std::optional<Instant> due_at;
  std::optional<Instant> ended_at;
};
struct History {
  std::vector<PastEnrolment> enrolments;
  std::vector<PastRun> runs;
  std::vector<PastMessage> messages;
};
// Three reads.
inline constexpr std::size_t kHistoryReads = 3;
void read_history(pg::Group& reads, std::int64_t account, const Uuid& contact,
                  const Uuid& workflow);
History found_history(std::span<const pg::Result> results);

// `definition` is the active version; null: none was published. `marketing_requires` is the store's
// setting.
std::vector<Gate> explain(const Workflow& workflow, const engine::Definition* definition,
                          const contacts::Contact& contact, std::string_view marketing_requires,
                          const History& history, const Numbers& numbers, Instant now);

}  // namespace shopbell::workflows
