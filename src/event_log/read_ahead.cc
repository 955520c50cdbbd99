#include "event_log/read_ahead.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <boost/asio/co_spawn.hpp>

#include "base/limits.h"

namespace shopbell::event_log {

bool Place::covers(const Place& other) const {
  return position == other.position && std::ranges::includes(groups, other.groups);
}

Position behind(Position middle, std::span<const Entry> entries) {
  middle.after_id = entries.back().id;
  return middle;
}

Stretch Stretch::cut(std::int64_t most) {
  const auto rest = entries.begin() + std::min(most, std::ssize(entries));
  Stretch first{
      .from = from,
      .to = to,
      .middle = middle,
      .was_cut = was_cut,
      .tick_at = tick_at,
      .entries = {std::make_move_iterator(entries.begin()), std::make_move_iterator(rest)}};
  if (rest != entries.end()) first.to = behind(middle, first.entries);
  entries.erase(entries.begin(), rest);
  from.position = first.to;
  return first;
}

ReadAhead::ReadAhead(asio::io_context& loop, pg::Pool& database, const Reader& reader)
    : loop_{loop},
      database_{database},
      payloads_{reader.payloads},
      reader_{reader.some_accounts ? std::optional{reader.name} : std::nullopt},
      fitting_events_{limits::kLogAhead},
      ended_{loop.get_executor()} {}

asio::awaitable<std::optional<ReadAhead::Found>> ReadAhead::read(
    Place place, std::optional<std::int64_t> no_further, std::int64_t limit) {
  const auto& [groups, position] = place;
  const auto next =
      co_await next_step(database_, position, no_further, limit * kLaneGroups / std::ssize(groups));
  if (!next) co_return std::nullopt;
  Page page;
  if (const auto batch = batch_between(next->from, next->to)) {
    page = co_await read_batch(database_, *batch, next->from.since,
                               {.groups = groups,
                                .after_id = position.after_id,
                                .limit = limit,
                                .payloads = payloads_,
                                .reader = reader_});
  }
  Stretch stretch{.from = std::move(place),
                  .to = next_position(*next, page),
                  .middle = {.tick = next->from.tick, .through = next->to.tick},
                  .was_cut = page.was_cut,
                  .tick_at = next->to.at};
  co_return Found{.stretch = std::move(stretch), .page = std::move(page)};
}

asio::awaitable<std::optional<Stretch>> ReadAhead::next(Place place,
                                                        std::optional<std::int64_t> no_further,
                                                        std::int64_t limit, std::int64_t ahead) {
  const auto reading = std::exchange(reading_, nullptr);
  std::optional<Found> found;
  if (reading && reading->place.covers(place)) {
    while (!reading->ended) co_await ended_.wait();
    if (reading->failure) std::rethrow_exception(reading->failure);
    found = std::move(reading->found);  // after an empty read, a newer tick may exist
  }
  if (!found) found = co_await read(place, no_further, std::min(limit, fitting_events_));
  if (!found) co_return std::nullopt;
  auto& [stretch, page] = *found;
  // The query measures all rows that it may return: with large payloads, ask for little more than
  // fits.
  fitting_events_ =
      stretch.was_cut ? 2 * page.size() : std::min(fitting_events_ * 2, limits::kLogAhead);
  // Start the next read before converting the entries, which takes about as long.
  if (ahead > 0 && (!page.last || page.size() >= limit / 2))
    begin({.groups = std::move(place.groups), .position = stretch.to}, ahead);
  stretch.entries = co_await entries_of(std::move(page));
  co_return std::move(stretch);
}

void ReadAhead::begin(Place place, std::int64_t limit) {
  reading_ = std::make_shared<Reading>(Reading{.place = std::move(place)});
  ++in_flight_;
  asio::co_spawn(
      loop_, read(reading_->place, {}, std::min(limit, fitting_events_)),
      [this, reading = reading_](std::exception_ptr failure, std::optional<Found> found) {
        reading->ended = true;
        reading->failure = std::move(failure);
        reading->found = std::move(found);
        --in_flight_;
        ended_.ring();
      });
}

asio::awaitable<void> ReadAhead::end() {
  bool goes_on = true;
  while (in_flight_ > 0 && goes_on) goes_on = co_await ended_.wait_for(limits::kLogTransaction);
}

}  // namespace shopbell::event_log
