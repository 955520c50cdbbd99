// Job: work that outlives the request that created it. It is queued, claimed by any running
// process, and ends as finished, error or cancelled. If its process dies, another one takes over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "base/uuid.h"

namespace shopbell::jobs {

struct Job {
  std::int64_t account = 0;
  Uuid id;
  std::string kind;  // kind of work, such as "export"
  std::string type;  // type of the records: contacts, products, …
  std::string state = "queued";
  std::int64_t attempt = 0;
  std::int64_t generation = 0;  // fencing token: an owner with an older one cannot change the job
  std::int64_t done = 0;        // rows processed so far
  std::optional<std::int64_t> total;  // an estimate; exact once the job has finished
  std::string options;                // JSON, specific to the kind
  std::optional<std::string> result;  // JSON, specific to the kind
  std::optional<std::string> error;   // a problem, as JSON
  std::optional<Uuid> key;            // API key that created the job
  Instant queued_at;
  Instant updated_at;
  std::optional<Instant> started_at;
  std::optional<Instant> finished_at;
  std::optional<Instant> expires_at;

  bool is_unfinished() const { return state == "queued" || state == "inProgress"; }
};

}  // namespace shopbell::jobs
