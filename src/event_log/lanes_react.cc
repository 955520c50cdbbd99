// Transactions of readers that read before they decide, and their timers.
#include <algorithm>
#include <format>
#include <ranges>

#include "base/limits.h"
#include "event_log/lanes.h"
#include "observe/log.h"

namespace shopbell::event_log {

namespace {

// How late the earliest of these timers is, in seconds.
double lateness(const std::vector<Timer>& due, Instant at) {
  return std::chrono::duration<double>(at - std::ranges::min(due, {}, &Timer::due_at).due_at)
      .count();
}

}  // namespace

// Runs the reader inside a fenced transaction. Groups whose rows are locked are left out and tried
// again later.
asio::awaitable<void> Lanes::react(Turn turn, Work work) {
  for (const auto& [group, timers] : timers_)
    work.arm_from[group] = timers.fired.due_at + std::chrono::microseconds{1};
  while (true) {
    Reacted reacted;
    std::vector<std::int16_t> busy;
    try {
      co_await database_.transaction(
          {.deadline = pg::Steady::now() + limits::kLogTransaction},
          [&](pg::Transaction& transaction) { return transact(transaction, turn, work, reacted); });
    } catch (Busy& locked) {
      busy = std::move(locked.groups);
    }
    if (busy.empty()) {
      for (const auto& [group, at] : reacted.armed)
        if (const auto timers = timers_.find(group); timers != timers_.end())
          timers->second.next = std::min(timers->second.next, at);
      note_saved(turn);
      co_return;
    }
    const auto is_busy = [&](std::int16_t group) { return std::ranges::contains(busy, group); };
    for (const std::int16_t group : busy) busy_[group] = pg::Steady::now() + limits::kBusyPause;
    std::erase_if(work.entries, [&](const Entry* entry) { return is_busy(group_of(*entry)); });
    std::erase_if(work.timers, [&](const Timer& timer) { return is_busy(timer.group); });
    for (auto* some : {&turn.moved, &turn.passed, &turn.others})
      std::erase_if(*some, [&](const Held& one) { return is_busy(one.group); });
    turn.events = work.entries.size() + work.timers.size();
    if (turn.events == 0) co_return;
  }
}

asio::awaitable<void> Lanes::transact(pg::Transaction& transaction, const Turn& turn,
                                      const Work& work, Reacted& reacted) {
  Turn current = turn;
  std::string trouble;
  try {
    reacted = co_await reader_.react(transaction, effect_of(current).as_own(), work);
  } catch (const pg::Error&) {
    throw;
  } catch (const std::exception& error) {  // any other exception counts as an objection
    trouble = error.what();
  }
  if (!trouble.empty()) throw Objection{trouble};
  add_positions(current, reacted.writes);
  co_await transaction.run_and_commit(std::move(reacted.writes));
}

// Fires the timers of groups that have read a tick to its end and whose timers are due by then.
// Returns false if there are none.
asio::awaitable<bool> Lanes::fire(Cohort cohort) {
  if (!reader_.timers || cohort.position.through) co_return false;
  const bool knows_time = tick_at_ && tick_at_->first == cohort.position.tick;
  std::map<std::int16_t, Mark> marks;
  for (const std::int16_t group : cohort.groups) {
    const Timers& timers = timers_[group];
    if (!knows_time || timers.next <= tick_at_->second) marks.emplace(group, timers.fired);
  }
  if (marks.empty()) {
    timer_lag_->set(0);
    co_return false;
  }
  const auto asked = std::views::keys(marks);
  cohort.groups.assign(asked.begin(), asked.end());
  const std::int64_t most = std::max<std::int64_t>(page_ / std::ssize(marks), 1);
  auto found = co_await read_timers(database_, cohort.position.tick, std::move(marks), most);
  if (!found) co_return false;
  const Instant at = found->at;
  tick_at_ = {cohort.position.tick, at};
  std::erase_if(cohort.groups, [&](std::int16_t group) { return !held_.contains(group); });
  std::vector<Timer> due = sort_timers(cohort, *std::move(found), most);
  timer_lag_->set(due.empty() ? 0 : lateness(due, at));
  if (due.empty()) co_return false;
  co_await fire_or_bisect(std::move(due), cohort.position, at);
  co_return true;
}

std::vector<Timer> Lanes::sort_timers(const Cohort& cohort, DueTimers found, std::int64_t most) {
  std::vector<Timer> due;
  std::map<std::int16_t, std::int64_t> read;
  for (const std::int16_t group : cohort.groups)
    timers_[group].next = found.at + limits::kTimerWindow;
  for (auto& timer : found.timers) {
    if (!held_.contains(timer.group)) continue;
    const std::int64_t number = ++read[timer.group];
    Instant& next = timers_[timer.group].next;
    if (timer.due_at > found.at) {
      next = std::min(next, timer.due_at);
    } else {
      if (number == most) next = found.at;  // there may be more
      due.push_back(std::move(timer));
    }
  }
  return due;
}

asio::awaitable<void> Lanes::fire_or_bisect(std::vector<Timer> timers, Position position,
                                            Instant at) {
  std::vector<Held> lanes;
  for (const auto& timer : timers)
    if (const auto held = held_.find(timer.group);
        held != held_.end() && !std::ranges::contains(lanes, timer.group, &Held::group))
      lanes.push_back(held->second);
  Turn turn = turn_of(lanes, {}, position);
  turn.moved = std::move(lanes);
  turn.passed.clear();
  turn.events = timers.size();
  Work work{.timers = timers, .tick = position.tick, .now = at};
  std::optional<std::string> objection;
  try {
    co_await react(turn, work);
  } catch (const pg::Error& error) {
    objection = objection_of(error);
    if (!objection) throw;
  } catch (const Objection& error) {
    objection = error.what();
  }
  if (objection && timers.size() > 1) {
    const auto middle = timers.begin() + std::ssize(timers) / 2;
    std::vector<Timer> rest{middle, timers.end()};
    timers.erase(middle, timers.end());
    co_await fire_or_bisect(std::move(timers), position, at);
    co_return co_await fire_or_bisect(std::move(rest), position, at);
  }
  if (objection) {
    observe::log(observe::Level::error, "timer refused",
                 {{"reader", reader_.name},
                  {"timer", timers.front().owner.to_string()},
                  {"account", timers.front().account},
                  {"why", *objection}});
    work.objection = objection;
    co_await react(std::move(turn), std::move(work));
  }
  const auto now = pg::Steady::now();
  for (const auto& timer : timers) {
    const auto busy = busy_.find(timer.group);
    const bool is_busy = busy != busy_.end() && busy->second > now;
    const auto state = timers_.find(timer.group);
    if (state == timers_.end()) continue;
    if (is_busy) {
      state->second.next = std::min(state->second.next, timer.due_at);
    } else {
      state->second.fired = std::max(state->second.fired, Mark{timer.due_at, timer.owner});
    }
  }
}

bool Lanes::has_deletions() const {
  return std::ranges::any_of(
      timers_, [](const auto& one) { return one.second.fired != one.second.deleted; });
}

// Deletes the timers that fired before this turn, of the groups that the turn has fenced.
void Lanes::add_deletions(const Turn& turn, pg::Group& effect) const {
  std::map<std::int16_t, std::pair<Mark, Mark>> fired;
  for (const auto* some : {&turn.moved, &turn.others})
    for (const auto& one : *some)
      if (const auto timers = timers_.find(one.group);
          timers != timers_.end() && timers->second.fired != timers->second.deleted)
        fired.emplace(one.group, std::pair{timers->second.deleted, timers->second.fired});
  if (!fired.empty()) delete_fired(effect, fired);
}

}  // namespace shopbell::event_log
