// The times at which a schedule starts runs.
#pragma once

#include <optional>

#include "engine/definition.h"

namespace shopbell::engine {

// Returns the first time after `after`; nullopt if there is none left. A day of the month that a
// month does not have is its last day.
std::optional<Instant> next_time(const Schedule& schedule, Zone zone, Instant after);

}  // namespace shopbell::engine
