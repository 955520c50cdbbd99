#include "event_log/lane_timers.h"

#include <algorithm>

#include "base/limits.h"

namespace shopbell::event_log {

std::map<std::int16_t, Mark> LaneTimers::marks(std::span<const std::int16_t> groups,
                                               std::optional<Instant> at) {
  std::map<std::int16_t, Mark> marks;
  for (const std::int16_t group : groups) {
    const Group& timers = groups_[group];
    if (!at || timers.next <= *at) marks.emplace(group, timers.fired);
  }
  return marks;
}

std::vector<Timer> LaneTimers::sort(const std::set<std::int16_t>& groups, DueTimers found,
                                    std::int64_t most) {
  std::vector<Timer> due;
  std::map<std::int16_t, std::int64_t> read;
  for (const std::int16_t group : groups) groups_[group].next = found.at + limits::kTimerWindow;
  for (const auto& timer : found.timers) {
    if (!groups.contains(timer.group)) continue;
    const std::int64_t number = ++read[timer.group];
    Instant& next = groups_[timer.group].next;
    if (timer.due_at > found.at) {
      next = std::min(next, timer.due_at);
    } else {
      if (number == most) next = found.at;  // there may be more
      due.push_back(timer);
    }
  }
  return due;
}

std::map<std::int16_t, Instant> LaneTimers::arm_from(const std::vector<Timer>& firing) const {
  std::map<std::int16_t, Instant> from;
  for (const auto& [group, timers] : groups_) from[group] = timers.fired.due_at;
  for (const auto& timer : firing) from[timer.group] = std::max(from[timer.group], timer.due_at);
  for (auto& [group, at] : from) at += std::chrono::microseconds{1};
  return from;
}

void LaneTimers::note_armed(const std::map<std::int16_t, Instant>& armed) {
  for (const auto& [group, at] : armed)
    if (const auto timers = groups_.find(group); timers != groups_.end())
      timers->second.next = std::min(timers->second.next, at);
}

void LaneTimers::note_fired(const std::vector<Timer>& timers,
                            const std::set<std::int16_t>& left_out) {
  for (const auto& timer : timers) {
    const auto found = groups_.find(timer.group);
    if (found == groups_.end()) continue;
    auto& [fired, deleted, next] = found->second;
    if (left_out.contains(timer.group)) {
      next = std::min(next, timer.due_at);
    } else {
      fired = std::max(fired, Mark{timer.due_at, timer.owner});
    }
  }
}

std::optional<std::pair<Mark, Mark>> LaneTimers::deletable(std::int16_t group) const {
  const auto found = groups_.find(group);
  if (found == groups_.end() || found->second.fired == found->second.deleted) return std::nullopt;
  return std::pair{found->second.deleted, found->second.fired};
}

bool LaneTimers::has_deletable() const {
  return std::ranges::any_of(
      groups_, [](const auto& one) { return one.second.fired != one.second.deleted; });
}

void LaneTimers::note_deleted(std::int16_t group) {
  if (const auto found = groups_.find(group); found != groups_.end())
    found->second.deleted = found->second.fired;
}

}  // namespace shopbell::event_log
