#include "event_log/cohort.h"

#include <algorithm>

namespace shopbell::event_log {

Cohort slowest_groups(const std::map<std::int16_t, Held>& held,
                      const std::set<std::int16_t>& left_out) {
  Cohort cohort;
  for (const auto& [group, one] : held) {
    if (left_out.contains(group)) continue;
    if (cohort.groups.empty() || one.position < cohort.position) {
      if (!cohort.groups.empty()) cohort.no_further = cohort.position.tick;
      cohort.groups.clear();
      cohort.position = one.position;
    } else if (one.position != cohort.position) {
      cohort.no_further =
          std::min(one.position.tick, cohort.no_further.value_or(one.position.tick));
      continue;
    }
    cohort.groups.push_back(group);
  }
  // Groups in the middle of the same batch join the cohort after that batch.
  if (cohort.no_further == cohort.position.tick) cohort.no_further.reset();
  return cohort;
}

}  // namespace shopbell::event_log
