// Message: a mail that a workflow planned for a contact, and its outcome.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "base/uuid.h"

namespace shopbell::messages {

// A message to plan. Its id follows from run, node and visit.
struct PlannedMessage {
  std::int64_t account = 0;
  Uuid id;
  Uuid contact;
  std::int16_t lane = 0;
  bool is_marketing = true;
  bool is_bulk = false;  // started by a schedule: waits behind live messages
  std::int64_t priority = 0;
  Uuid workflow;
  Uuid run;
  std::string node;
  std::string template_name;
  std::optional<std::string> send_rules;  // JSON: {"quietHours": …, "sendWindow": …}
  bool skips_at_cap = false;
  Instant at;
  std::int16_t hops = 0;  // length of the chain of events that caused it
};

// A planned message that its run no longer wants.
struct Withdrawal {
  std::int64_t account = 0;
  Uuid id;
  std::string reason;  // "run-ended", "restarted", "moved" or "merged"
};

}  // namespace shopbell::messages
