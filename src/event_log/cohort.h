// Cohort: the groups of lanes that a pipeline reads for next.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "event_log/log_store.h"

namespace shopbell::event_log {

struct Cohort {
  std::vector<std::int16_t> groups;  // all at the earliest position
  Position position;
  std::optional<std::int64_t> no_further;  // the tick where the next groups wait
};

// The slowest of the held groups, without those that are left out.
Cohort slowest_groups(const std::map<std::int16_t, Held>& held,
                      const std::set<std::int16_t>& left_out);

}  // namespace shopbell::event_log
