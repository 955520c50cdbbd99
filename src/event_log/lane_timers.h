// LaneTimers: which timers of one pipeline's groups of lanes have fired, and when the next one is
// due. It only decides: the caller reads the clock, the table `timer` and the ticks.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/time.h"
#include "base/uuid.h"
#include "event_log/reader.h"

namespace shopbell::event_log {

// The last timer that fired in a group of lanes.
struct Mark {
  Instant due_at;
  Uuid owner;

  auto operator<=>(const Mark&) const = default;
};
struct DueTimers {
  Instant at;                 // the time of the tick
  std::vector<Timer> timers;  // due at that time or up to limits::kTimerWindow later, in order
};

class LaneTimers {
 public:
  // The next read of the group begins with its oldest timer.
  void forget(std::int16_t group) { groups_.erase(group); }
  void forget_all() { groups_.clear(); }

  // The marks after which to read, for those of the groups that may have a timer due at `at`;
  // nullopt: the time is unknown.
  std::map<std::int16_t, Mark> marks(std::span<const std::int16_t> groups,
                                     std::optional<Instant> at);
  // Notes the timers that were read after the marks of these groups, at most `most` of each.
  // Returns the due ones.
  std::vector<Timer> sort(const std::set<std::int16_t>& groups, DueTimers found, std::int64_t most);

  // A timer that is armed earlier than this would not be found, once these have fired. By group.
  std::map<std::int16_t, Instant> arm_from(const std::vector<Timer>& firing) const;
  // Notes the earliest timer that a transaction armed in each group.
  void note_armed(const std::map<std::int16_t, Instant>& armed);
  // Notes that these timers fired, except those of the groups that were left out: they are read
  // again.
  void note_fired(const std::vector<Timer>& timers, const std::set<std::int16_t>& left_out);

  // The timers of the group that fired and are not deleted yet: after the first mark, up to the
  // second.
  std::optional<std::pair<Mark, Mark>> deletable(std::int16_t group) const;
  bool has_deletable() const;
  void note_deleted(std::int16_t group);

 private:
  struct Group {
    Mark fired;    // the last one that fired
    Mark deleted;  // the last one that was deleted
    Instant next;  // none after `fired` is due before this
  };

  std::map<std::int16_t, Group> groups_;
};

}  // namespace shopbell::event_log
