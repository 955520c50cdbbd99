#include "event_log/lanes.h"

#include <algorithm>
#include <format>
#include <ranges>

#include "base/limits.h"
#include "observe/log.h"

namespace shopbell::event_log {

namespace {

using observe::Level;

// After a batch without events for a reader of few events. It delays the next one by as much.
constexpr auto kQuietPause = std::chrono::milliseconds{50};

asio::awaitable<void> nothing() { co_return; }

std::int64_t page_of(const Reader& reader) {
  if (reader.react) return limits::kReactPage;
  return reader.effect ? limits::kLogPage : limits::kLogAhead;
}

}  // namespace

Lanes::Lanes(asio::io_context& loop, pg::Pool& database, Reader reader, int pipeline, Uuid process,
             observe::Metrics& metrics)
    : database_{database},
      reader_{std::move(reader)},
      pipeline_{pipeline},
      process_{process},
      ahead_{loop, database, reader_},
      page_events_max_{page_of(reader_)},
      page_{page_events_max_},
      wake_{loop.get_executor()},
      ended_{loop.get_executor()},
      saved_at_{pg::Steady::now()},
      lag_events_{metrics.gauge("shopbell_log_lag_events",
                                "Events between the newest tick and the slowest lanes of a reader.",
                                {{"reader", reader_.name}})},
      lag_seconds_{
          metrics.gauge("shopbell_log_lag_seconds",
                        "Age of the oldest tick that some lanes of a reader have not read.",
                        {{"reader", reader_.name}})},
      parked_waiting_{metrics.gauge("shopbell_log_parked",
                                    "Events parked because a reader could not process them.",
                                    {{"reader", reader_.name}})},
      groups_{metrics.gauge("shopbell_log_groups",
                            "Groups of lanes, of 64, that this process reads.",
                            {{"reader", reader_.name}})},
      timer_lag_{reader_.timers ? &metrics.gauge("shopbell_log_timer_lag_seconds",
                                                 "How late the last timers of a reader fired.",
                                                 {{"reader", reader_.name},
                                                  {"pipeline", std::to_string(pipeline_)}})
                                : nullptr},
      events_{metrics.counter("shopbell_log_events_total", "Events whose effect was committed.",
                              {{"reader", reader_.name}})},
      batches_{metrics.counter("shopbell_log_batches_total", "Transactions of a reader.",
                               {{"reader", reader_.name}})},
      taken_{metrics.counter("shopbell_log_owner_changes_total",
                             "Groups of lanes that this process acquired.",
                             {{"reader", reader_.name}})},
      fenced_{metrics.counter("shopbell_log_fenced_total",
                              "Transactions refused because the lanes had another owner.",
                              {{"reader", reader_.name}})},
      parked_{metrics.counter("shopbell_log_parked_total", "Events parked by this process.",
                              {{"reader", reader_.name}})} {}

void Lanes::hold(const std::vector<Held>& held) {
  std::map<std::int16_t, Held> now;
  bool has_new = false;
  for (const auto& one : held) {
    if (one.group % reader_.pipelines != pipeline_) continue;
    const auto before = held_.find(one.group);
    // Within one generation only this process moves the position, so the local one is newer.
    const bool ours = before != held_.end() && before->second.generation == one.generation;
    now.emplace(one.group, ours ? before->second : one);
    if (!ours) {
      taken_.add();
      timers_.forget(one.group);  // the next read begins with the oldest timer
    }
    has_new = has_new || !ours;
  }
  held_ = std::move(now);
  groups_.set(static_cast<double>(held.size()));
  if (has_new) wake_.ring();  // lanes held before are woken by the next tick
}

void Lanes::set_lag(const Lag& lag) {
  lag_events_.set(static_cast<double>(lag.events));
  lag_seconds_.set(lag.seconds);
  parked_waiting_.set(static_cast<double>(lag.parked));
}

asio::awaitable<void> Lanes::run(std::function<void()> lost) {
  running_ = true;
  auto pause = limits::kTickInterval;
  while (!stopping_) {
    bool moved = false;
    std::string trouble;
    try {
      moved = co_await step();
    } catch (const pg::Error& error) {
      if (is_fenced(error)) {
        fenced_.add();
      } else {
        trouble = error.what();
      }
      // The transaction may have been too large for its deadline: every webhook endpoint adds a row
      // per event.
      if (error.is_timeout() || error.kind() == pg::Error::Kind::lost)
        page_ = std::max<std::int64_t>(page_ / 2, 1);
      // The commit was refused or unanswered: only the database knows the positions now.
      drop();
      lost();
    } catch (const std::exception& error) {  // on any error, the lanes must not stop
      trouble = error.what();
      drop();
      lost();
    }
    if (!trouble.empty() || !held_.empty())
      report(trouble);  // without lanes there is no recovery to report
    if (moved) {
      // A reader of few events does not read every tick: that would cost more than its events.
      if (was_quiet_ && reader_.react) co_await runtime::sleep_for(kQuietPause);
      pause = limits::kTickInterval;
      page_ = std::min(page_ * 2, page_events_max_);
      continue;
    }
    const std::chrono::milliseconds most =
        trouble.empty() ? limits::kTickIdle : limits::kLogPauseMost;
    if (co_await wake_.wait_for(pause)) {
      pause = trouble.empty() ? limits::kTickInterval : std::min(pause * 2, most);
    } else {
      pause = std::min(pause * 2, most);
    }
  }
  try {
    co_await finish(std::exchange(outside_, {}));
  } catch (const std::exception&) {  // another process reads the events again
  }
  co_await ahead_.end();
  running_ = false;
  ended_.ring();
}

asio::awaitable<void> Lanes::stop() {
  stopping_ = true;
  wake_.ring();
  if (running_) co_await ended_.wait_for(limits::kLogTransaction);
}

void Lanes::drop() {
  held_.clear();
  timers_.forget_all();
  busy_.clear();
  rest_.reset();
  outside_.reset();
  ahead_.forget();
}

// A heartbeat may have lost the lanes meanwhile, or got them back at another position.
Held* Lanes::still_ours(const Held& one) {
  const auto held = held_.find(one.group);
  return held != held_.end() && held->second.generation == one.generation ? &held->second : nullptr;
}

std::set<std::int16_t> Lanes::busy_groups() const {
  std::set<std::int16_t> groups;
  const auto now = pg::Steady::now();
  for (const auto& [group, until] : busy_)
    if (until > now) groups.insert(group);
  return groups;
}

// Groups that are still at the cohort's position; a heartbeat may have lost others.
std::vector<Held> Lanes::held_of(const Cohort& cohort) const {
  std::vector<Held> lanes;
  for (const std::int16_t group : cohort.groups) {
    const auto held = held_.find(group);
    if (held != held_.end() && held->second.position == cohort.position)
      lanes.push_back(held->second);
  }
  return lanes;
}

// Processes one batch, or a page of it. False if there was nothing to do.
asio::awaitable<bool> Lanes::step() {
  Cohort cohort = slowest_groups(held_, busy_groups());
  if (cohort.groups.empty()) co_return false;
  was_quiet_ = false;
  if (std::exchange(fires_next_, false) && co_await fire(cohort)) co_return true;
  const Place place{.groups = cohort.groups, .position = cohort.position};
  if (!rest_ || !rest_->from.covers(place)) {
    rest_.reset();
    // Prefetch only if all groups are at one position: otherwise more groups join later.
    const bool all = cohort.groups.size() == held_.size();
    std::exception_ptr failure;
    try {
      rest_ = co_await ahead_.next(place, cohort.no_further, page_,
                                   all ? page_ * (limits::kLogAhead / page_events_max_) : 0);
    } catch (...) {  // persist the finished page before rethrowing
      failure = std::current_exception();
    }
    if (!rest_ && outside_) {
      co_await finish(std::exchange(outside_, {}));
      if (!failure) co_return true;
    }
    if (failure) std::rethrow_exception(failure);
    if (!rest_) {
      if (co_await fire(cohort)) co_return true;
      co_return co_await save_progress(std::move(cohort));
    }
  }
  auto [from, to, middle, was_cut, tick_at, entries] = rest_->cut(page_);
  if (!to.through) tick_at_ = {to.tick, tick_at};
  if (rest_->entries.empty()) rest_.reset();
  was_quiet_ = entries.empty();
  std::vector<Held> lanes = held_of(cohort);
  std::erase_if(entries, [&](const Entry& entry) {
    return !std::ranges::contains(lanes, group_of(entry), &Held::group);
  });
  if (reader_.outside) {
    co_await begin(std::move(lanes), entries, middle, to);
  } else {
    co_await commit_or_bisect(std::move(lanes), entries, middle, to);
  }
  fires_next_ = reader_.timers;
  co_return true;
}

// Called when there is nothing new to read. Saves the position of lanes without events at
// intervals, for monitoring.
asio::awaitable<bool> Lanes::save_progress(Cohort cohort) {
  const bool up_to_date = std::ranges::all_of(cohort.groups, [&](std::int16_t group) {
    const auto held = held_.find(group);  // a heartbeat may have lost the group
    return held == held_.end() || held->second.saved == cohort.position;
  });
  if ((up_to_date && !timers_.has_deletable()) ||
      pg::Steady::now() < saved_at_ + limits::kLogProgress)
    co_return false;
  co_await commit(held_of(cohort), {}, cohort.position, cohort.position);
  co_return false;
}

asio::awaitable<std::set<std::int16_t>> Lanes::commit_or_bisect(std::vector<Held> lanes,
                                                                std::span<const Entry> entries,
                                                                Position middle, Position to) {
  std::string objection;
  try {
    co_return co_await commit(lanes, entries, middle, to);
  } catch (const pg::Error& error) {
    const auto refused = objection_of(error);
    if (!refused || entries.empty()) throw;
    objection = *refused;
  } catch (const Objection& error) {
    objection = error.what();
  }
  if (entries.size() == 1) {
    observe::log(Level::error, "event parked",
                 {{"reader", reader_.name},
                  {"event", entries.front().uid.to_string()},
                  {"account", entries.front().account},
                  {"why", objection}});
    co_return co_await commit(lanes, entries, middle, to, objection);
  }
  const auto first = entries.first(entries.size() / 2);
  auto left_out = co_await commit_or_bisect(lanes, first, middle, behind(middle, first));
  // Otherwise these groups would skip their events of the first half.
  std::erase_if(lanes, [&](const Held& one) { return left_out.contains(one.group); });
  if (!lanes.empty())
    left_out.merge(co_await commit_or_bisect(lanes, entries.subspan(first.size()), middle, to));
  co_return left_out;
}

// Any exception from a reader counts as an objection to its events.
void Lanes::add_effect(std::span<const Entry> entries, pg::Group& effect) const {
  try {
    reader_.effect(entries, effect);
  } catch (const std::exception& error) {
    throw Objection{error.what()};
  }
}

asio::awaitable<void> Lanes::begin(std::vector<Held> lanes, std::span<const Entry> entries,
                                   Position middle, Position to) {
  std::optional<Outside> begun;
  std::exception_ptr failure;
  try {
    begun.emplace(turn_of(lanes, entries, to),
                  entries.empty() ? Begun{nothing()} : reader_.outside(entries));
  } catch (const Objection&) {  // the page is bisected below, after the previous page
  } catch (...) {
    failure = std::current_exception();
  }
  if (!begun) {
    co_await finish(std::exchange(outside_, {}));
    if (failure) std::rethrow_exception(failure);
    co_await commit_or_bisect(std::move(lanes), entries, middle, to);
    co_return;
  }
  for (const auto& one : lanes) held_.at(one.group).position = to;
  co_await finish(std::exchange(outside_, std::move(begun)));
}

asio::awaitable<void> Lanes::finish(std::optional<Outside> outside) {
  if (!outside) co_return;
  co_await std::move(outside->begun.happens);
  // The new owner of lost lanes repeats these events; the position of the other lanes is saved.
  Turn& turn = outside->turn;
  for (auto* some : {&turn.moved, &turn.passed})
    std::erase_if(*some, [&](const Held& one) { return still_ours(one) == nullptr; });
  pg::Group effect = effect_of(turn);
  co_await save(turn, std::move(effect));
}

// With an objection it parks the event instead of committing the event's effect.
asio::awaitable<std::set<std::int16_t>> Lanes::commit(std::vector<Held> lanes,
                                                      std::span<const Entry> entries,
                                                      Position middle, Position to,
                                                      std::optional<std::string> objection) {
  Turn turn = turn_of(lanes, entries, to);
  const bool has_effect = !entries.empty() && !objection;
  if (has_effect && reader_.react) {
    Work work{.tick = middle.tick, .through = middle.through};
    for (const auto& entry : entries)
      if (std::ranges::contains(lanes, group_of(entry), &Held::group))
        work.entries.push_back(&entry);
    if (!work.entries.empty()) co_return co_await react(std::move(turn), std::move(work));
  }
  if (has_effect && reader_.outside) co_await reader_.outside(entries).happens;
  pg::Group effect = effect_of(turn);
  if (objection) park(effect, reader_.name, entries.front(), *objection);
  if (has_effect && reader_.effect) add_effect(entries, effect);
  co_await save(turn, std::move(effect));
  if (objection) parked_.add();
  co_return std::set<std::int16_t>{};
}

void Lanes::report(const std::string& trouble) {
  if (trouble == trouble_) return;
  trouble_ = trouble;
  if (trouble.empty()) {
    observe::log(Level::info, "log read again", {{"reader", reader_.name}});
  } else {
    observe::log(Level::warn, "log not read", {{"reader", reader_.name}, {"why", trouble}});
  }
}

}  // namespace shopbell::event_log
