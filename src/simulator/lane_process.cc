#include "simulator/lane_process.h"

#include <algorithm>
#include <format>
#include <ranges>
#include <utility>

#include "automation/batch.h"
#include "base/limits.h"
#include "runtime/wait.h"

namespace shopbell::simulator {

using event_log::Cohort;
using event_log::Timer;
using event_log::Work;

void LaneProcess::beat() {
  std::map<std::int16_t, Held> now;
  for (const auto& [group, owner] : world_.tables.owners) {
    if (owner.process != setting_.number) continue;
    const auto before = held_.find(group);
    if (before != held_.end() && before->second.generation == owner.generation) {
      now.emplace(group, before->second);
      continue;
    }
    const Position saved = world_.tables.positions[group];
    now.emplace(
        group,
        Held{.group = group, .generation = owner.generation, .saved = saved, .position = saved});
    timers_.forget(group);
  }
  held_ = std::move(now);
}

void LaneProcess::drop() {
  held_.clear();
  timers_.forget_all();
  busy_.clear();
}

void LaneProcess::restart() {
  drop();
  definitions_.forget();
}

bool LaneProcess::step() {
  is_firing_ = false;
  Groups left_out;
  for (auto& [group, steps] : busy_)
    if (steps-- > 0) left_out.insert(group);
  const Cohort cohort = event_log::slowest_groups(held_, left_out);
  if (cohort.groups.empty()) return false;
  try {
    if (std::exchange(fires_next_, false) && fire(cohort)) return true;
    return read(cohort) || fire(cohort);
  } catch (const Refused&) {
    ++refused_;
    drop();
  } catch (const Crash&) {
    ++crashes_;
    random_.one_in(2) ? drop() : restart();
  }
  return true;
}

void LaneProcess::overlap() {
  const Cohort cohort = event_log::slowest_groups(held_, {});
  if (!std::exchange(is_firing_, false) || cohort.groups.empty()) return;
  try {
    read(cohort);
  } catch (const Refused&) {
  } catch (const Crash&) {
  }
}

bool LaneProcess::read(const Cohort& cohort) {
  const Position& from = cohort.position;
  const std::int64_t newest =
      std::min(world_.newest_tick(), cohort.no_further.value_or(world_.newest_tick()));
  if (!from.through && from.tick >= newest) return false;
  const std::int64_t to_tick =
      from.through ? *from.through
                   : random_.between(from.tick + 1, std::min(newest, from.tick + 5));
  std::vector<const Entry*> entries;
  for (const auto& one : world_.tables.events)
    if (one.shown > from.tick && one.shown <= to_tick && one.entry.id > from.after_id &&
        std::ranges::contains(cohort.groups, event_log::group_of(one.entry)))
      entries.push_back(&one.entry);
  Position to{.tick = to_tick};
  if (const auto most = static_cast<std::size_t>(random_.between(1, 12)); entries.size() > most) {
    entries.resize(most);
    to = {.tick = from.tick, .through = to_tick, .after_id = entries.back()->id};
  }
  std::vector<Held> lanes;
  lanes.reserve(cohort.groups.size());
  for (const auto group : cohort.groups) lanes.push_back(held_.at(group));
  react({.entries = std::move(entries), .tick = from.tick, .through = to_tick}, std::move(lanes),
        to);
  fires_next_ = true;
  return true;
}

event_log::DueTimers LaneProcess::due_timers(const std::map<std::int16_t, event_log::Mark>& marks,
                                             Instant at, std::int64_t most) const {
  event_log::DueTimers found{.at = at, .timers = {}};
  for (const auto& [group, mark] : marks) {
    std::int64_t number = 0;
    const auto& timers = world_.tables.timers;
    for (auto timer = timers.upper_bound({group, mark.due_at, mark.owner});
         timer != timers.end() && number < most; ++timer, ++number) {
      const auto& [of_group, due_at, run] = timer->first;
      if (of_group != group || due_at > at + limits::kTimerWindow) break;
      found.timers.push_back({.group = group,
                              .due_at = due_at,
                              .owner = run,
                              .account = timer->second.account,
                              .contact = timer->second.contact});
    }
  }
  return found;
}

bool LaneProcess::fire(const Cohort& cohort) {
  if (cohort.position.through) return false;
  const Instant at = setting_.removed == Mechanism::timer_gate
                         ? world_.now()
                         : world_.tables.ticks[static_cast<std::size_t>(cohort.position.tick)];
  auto marks = timers_.marks(cohort.groups, random_.one_in(3) ? std::nullopt : std::optional{at});
  if (marks.empty()) return false;
  const std::int64_t most = random_.between(1, 6);
  const auto asked = std::views::keys(marks);
  const std::vector<Timer> due =
      timers_.sort({asked.begin(), asked.end()}, due_timers(marks, at, most), most);
  if (due.empty()) return false;
  std::vector<Held> lanes;
  for (const auto& timer : due)
    if (!std::ranges::contains(lanes, timer.group, &Held::group))
      lanes.push_back(held_.at(timer.group));
  is_firing_ = true;
  const Groups left_out = react({.timers = due, .tick = cohort.position.tick, .now = at},
                                std::move(lanes), cohort.position);
  timers_.note_fired(due, left_out);
  return true;
}

LaneProcess::Groups LaneProcess::react(Work work, std::vector<Held> lanes, const Position& to) {
  if (setting_.removed != Mechanism::timer_mark) work.arm_from = timers_.arm_from(work.timers);
  const bool fires = !work.timers.empty();
  const bool saves_all = random_.one_in(5);
  Groups left_out;
  while (true) {
    event_log::Busy busy;
    std::vector<Held> moved = lanes;
    if (!fires && !saves_all)
      std::erase_if(moved, [&](const Held& one) {
        return std::ranges::none_of(work.entries, [&](const Entry* entry) {
          return event_log::group_of(*entry) == one.group;
        });
      });
    try {
      if (!moved.empty()) transact(work, moved, to, saves_all);
    } catch (event_log::Busy& locked) {
      busy = std::move(locked);
    }
    if (busy.groups.empty()) {
      for (const auto& one : lanes)
        if (const auto held = held_.find(one.group); held != held_.end()) {
          held->second.position = to;
          if (std::ranges::contains(moved, one.group, &Held::group)) held->second.saved = to;
        }
      return left_out;
    }
    const auto is_busy = [&](std::int16_t group) {
      return std::ranges::contains(busy.groups, group);
    };
    for (const auto group : busy.groups) busy_[group] = static_cast<int>(random_.between(0, 3));
    left_out.insert(busy.groups.begin(), busy.groups.end());
    std::erase_if(work.entries,
                  [&](const Entry* entry) { return is_busy(event_log::group_of(*entry)); });
    std::erase_if(work.timers, [&](const Timer& timer) { return is_busy(timer.group); });
    std::erase_if(lanes, [&](const Held& one) { return is_busy(one.group); });
    if (work.entries.empty() && work.timers.empty()) return left_out;
  }
}

Faults LaneProcess::faults() {
  if (!setting_.has_faults) return {};
  return {.misses_enrolments = random_.one_in(25), .repeats_messages = random_.one_in(25)};
}

void LaneProcess::transact(const Work& work, const std::vector<Held>& lanes, const Position& to,
                           bool saves_all) {
  ++batches_;
  const bool dies_unheard = setting_.has_faults && random_.one_in(40);
  MemoryStore store{
      world_,
      {.process = setting_.number,
       .held = lanes,
       .removed = setting_.removed,
       .faults = faults(),
       .before = setting_.before,
       .looked_back = [&](const Journal& journal, const auto& question,
                          const auto& events) { model_.check_history(journal, question, events); }},
      work};
  automation::Batch batch{store, definitions_, work};
  boost::asio::io_context loop;
  std::map<std::int16_t, Instant> armed;
  try {
    armed = runtime::run_to_end(loop, batch.run());
  } catch (const std::exception& error) {
    throw Violation{std::format("a step failed: {}", error.what()),
                    work.timers.empty() ? work.entries.front()->contact_id
                                        : std::optional{work.timers.front().contact}};
  }
  model_.follow(store.commit(to));
  if (dies_unheard) throw Crash{};  // the commit happened, and the process does not learn it
  timers_.note_armed(armed);
  if (saves_all) delete_fired(lanes);
}

// The rows of timers that have fired are deleted behind the mark, sooner or later.
void LaneProcess::delete_fired(const std::vector<Held>& lanes) {
  for (const auto& one : lanes)
    if (const auto range = timers_.deletable(one.group)) {
      const auto& [above, up_to] = *range;
      std::erase_if(world_.tables.timers, [&](const auto& timer) {
        const auto& [group, due_at, run] = timer.first;
        const event_log::Mark mark{due_at, run};
        return group == one.group && mark > above && mark <= up_to;
      });
      timers_.note_deleted(one.group);
    }
}

}  // namespace shopbell::simulator
