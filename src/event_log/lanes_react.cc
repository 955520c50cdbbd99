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
asio::awaitable<std::set<std::int16_t>> Lanes::react(Turn turn, Work work) {
  work.arm_from = timers_.arm_from(work.timers);
  std::set<std::int16_t> left_out;
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
      timers_.note_armed(reacted.armed);
      note_saved(turn);
      co_return left_out;
    }
    const auto is_busy = [&](std::int16_t group) { return std::ranges::contains(busy, group); };
    for (const std::int16_t group : busy) busy_[group] = pg::Steady::now() + limits::kBusyPause;
    left_out.insert(busy.begin(), busy.end());
    std::erase_if(work.entries, [&](const Entry* entry) { return is_busy(group_of(*entry)); });
    std::erase_if(work.timers, [&](const Timer& timer) { return is_busy(timer.group); });
    for (auto* some : {&turn.moved, &turn.passed, &turn.others})
      std::erase_if(*some, [&](const Held& one) { return is_busy(one.group); });
    turn.events = work.entries.size() + work.timers.size();
    if (turn.events == 0) co_return left_out;
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
  auto marks =
      timers_.marks(cohort.groups, knows_time ? std::optional{tick_at_->second} : std::nullopt);
  if (marks.empty()) {
    timer_lag_->set(0);
    co_return false;
  }
  const auto asked = std::views::keys(marks);
  std::set<std::int16_t> groups{asked.begin(), asked.end()};
  const std::int64_t most = std::max<std::int64_t>(page_ / std::ssize(marks), 1);
  auto found = co_await read_timers(database_, cohort.position.tick, std::move(marks), most);
  if (!found) co_return false;
  const Instant at = found->at;
  tick_at_ = {cohort.position.tick, at};
  std::erase_if(groups, [&](std::int16_t group) { return !held_.contains(group); });
  std::vector<Timer> due = timers_.sort(groups, *std::move(found), most);
  timer_lag_->set(due.empty() ? 0 : lateness(due, at));
  if (due.empty()) co_return false;
  co_await fire_or_bisect(std::move(due), cohort.position, at);
  co_return true;
}

asio::awaitable<std::set<std::int16_t>> Lanes::fire_or_bisect(std::vector<Timer> timers,
                                                              Position position, Instant at) {
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
  std::set<std::int16_t> left_out;
  std::optional<std::string> objection;
  try {
    left_out = co_await react(turn, work);
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
    left_out = co_await fire_or_bisect(std::move(timers), position, at);
    // The mark must not pass the timers that were left out.
    std::erase_if(rest, [&](const Timer& timer) { return left_out.contains(timer.group); });
    if (!rest.empty()) left_out.merge(co_await fire_or_bisect(std::move(rest), position, at));
    co_return left_out;
  }
  if (objection) {
    observe::log(observe::Level::error, "timer refused",
                 {{"reader", reader_.name},
                  {"timer", timers.front().owner.to_string()},
                  {"account", timers.front().account},
                  {"why", *objection}});
    work.objection = objection;
    left_out = co_await react(std::move(turn), std::move(work));
  }
  timers_.note_fired(timers, left_out);
  co_return left_out;
}

// Deletes the timers that fired before this turn, of the groups that the turn has fenced.
void Lanes::add_deletions(const Turn& turn, pg::Group& effect) const {
  std::map<std::int16_t, std::pair<Mark, Mark>> fired;
  for (const auto* some : {&turn.moved, &turn.others})
    for (const auto& one : *some)
      if (const auto range = timers_.deletable(one.group)) fired.emplace(one.group, *range);
  if (!fired.empty()) delete_fired(effect, fired);
}

}  // namespace shopbell::event_log
