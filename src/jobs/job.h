// Job: work that outlives the request that asked for it. It is queued, taken by any process that
// runs, and ends as finished, error or cancelled; when its process dies, another one takes it over.
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
  std::string kind;  // export
  std::string type;  // what of: contacts, products, …
  std::string state = "queued";
  std::int64_t attempt = 0;
  std::int64_t generation = 0;        // how often it changed hands: an older one can do nothing
  std::int64_t done = 0;              // rows
  std::optional<std::int64_t> total;  // about so many; exact once it has finished
  std::string options;                // JSON of the kind's own
  std::optional<std::string> result;  // likewise
  std::optional<std::string> error;   // a problem, as JSON
  std::optional<Uuid> key;            // that asked for it
  Instant queued_at;
  Instant updated_at;
  std::optional<Instant> started_at;
  std::optional<Instant> finished_at;
  std::optional<Instant> expires_at;

  bool is_unfinished() const { return state == "queued" || state == "inProgress"; }
};

}  // namespace shopbell::jobs
