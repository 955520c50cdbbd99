// Turns: which groups of lanes a transaction fences, and whose positions it saves.
#include <algorithm>
#include <map>

#include "base/limits.h"
#include "event_log/lanes.h"

namespace shopbell::event_log {

Lanes::Turn Lanes::turn_of(std::span<const Held> lanes, std::span<const Entry> entries,
                           Position to) const {
  Turn turn{.to = to,
            .events = entries.size(),
            .saves_all = pg::Steady::now() >= saved_at_ + limits::kLogProgress};
  for (const auto& one : lanes) {
    const bool has = turn.saves_all || std::ranges::contains(entries, one.group, group_of);
    (has ? turn.moved : turn.passed).push_back(one);
  }
  if (turn.saves_all)
    for (const auto& [group, held] : held_)
      if (!std::ranges::contains(lanes, group, &Held::group)) turn.others.push_back(held);
  return turn;
}

pg::Group Lanes::effect_of(Turn& turn) {
  std::erase_if(turn.others, [&](const Held& one) { return still_ours(one) == nullptr; });
  // The previous turn may have been saved since this one began.
  for (auto* some : {&turn.moved, &turn.others})
    for (auto& one : *some)
      if (const Held* ours = still_ours(one)) one.saved = ours->saved;
  std::vector<Held> all = turn.moved;
  all.insert(all.end(), turn.others.begin(), turn.others.end());
  pg::Group effect;
  fence(effect, process_, reader_.name, all);
  return effect;
}

// Adds the new positions, and the positions of other groups if all are saved.
void Lanes::add_positions(const Turn& turn, pg::Group& effect) const {
  if (turn.saves_all) add_deletions(turn, effect);
  std::map<Position, std::vector<Held>> others;
  for (const auto& one : turn.others) others[one.saved].push_back(one);
  for (const auto& [position, groups] : others)
    save_position(effect, reader_.name, groups, position);
  save_position(effect, reader_.name, turn.moved, turn.to);
}

asio::awaitable<void> Lanes::save(const Turn& turn, pg::Group effect) {
  if (!turn.moved.empty()) {
    add_positions(turn, effect);
    co_await database_.run(std::move(effect),
                           {.deadline = pg::Steady::now() + limits::kLogTransaction});
  }
  note_saved(turn);
}

// Notes that a turn is committed, or that it has nothing to commit.
void Lanes::note_saved(const Turn& turn) {
  if (!turn.moved.empty()) {
    batches_.add();
    events_.add(static_cast<double>(turn.events));
    if (turn.saves_all) {
      saved_at_ = pg::Steady::now();
      for (const auto* some : {&turn.moved, &turn.others})
        for (const auto& one : *some) timers_.note_deleted(one.group);
    }
    if (turn.events > 0 && reader_.committed) reader_.committed();
  }
  const auto remember = [&](const Held& one, bool saved) {
    Held* ours = still_ours(one);
    if (ours == nullptr) return;
    ours->position = std::max(ours->position, turn.to);  // the next turn may be ahead
    if (saved) ours->saved = turn.to;
  };
  for (const auto& one : turn.moved) remember(one, true);
  for (const auto& one : turn.passed) remember(one, false);
}

}  // namespace shopbell::event_log
