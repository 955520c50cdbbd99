#include "event_log/batch.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <ranges>

namespace shopbell::event_log {

namespace {

bool read(std::string_view text, Xid& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

std::optional<Snapshot> Snapshot::parse(std::string_view text) {
  const auto first = text.find(':');
  const auto second = first == text.npos ? text.npos : text.find(':', first + 1);
  Snapshot snapshot;
  if (second == text.npos || !read(text.substr(0, first), snapshot.xmin) ||
      !read(text.substr(first + 1, second - first - 1), snapshot.xmax))
    return std::nullopt;
  const std::string_view list = text.substr(second + 1);
  if (list.empty()) return snapshot;
  for (const auto part : std::views::split(list, ',')) {
    if (!read(std::string_view{part}, snapshot.pending.emplace_back())) return std::nullopt;
  }
  std::ranges::sort(snapshot.pending);
  return snapshot;
}

bool Snapshot::shows(Xid transaction) const {
  return transaction < xmax && !std::ranges::binary_search(pending, transaction);
}

bool Batch::holds(Xid transaction, std::int64_t id) const {
  if (id <= above_id || id > up_to_id) return false;
  if (ends && id > unseen_id) return true;
  return std::ranges::contains(late, transaction) ||
         (transaction >= begin && transaction < end && !std::ranges::contains(hidden, transaction));
}

std::optional<Batch> batch_between(const Tick& from, const Tick& to) {
  if (from.epoch != to.epoch) return std::nullopt;
  Batch batch{.epoch = from.epoch,
              .above_id = from.start_id,
              .up_to_id = to.last_id,
              .unseen_id = from.last_id,
              .begin = from.shows.xmax,
              .end = to.shows.xmax,
              .ends = to.ends};
  if (to.ends) {
    batch.end = std::numeric_limits<std::int64_t>::max();  // upper bound of all transaction numbers
    batch.late = from.shows.pending;
    return batch;
  }
  std::ranges::copy_if(to.shows.pending, std::back_inserter(batch.hidden),
                       [&](Xid pending) { return pending >= batch.begin; });
  std::ranges::copy_if(from.shows.pending, std::back_inserter(batch.late),
                       [&](Xid pending) { return to.shows.shows(pending); });
  return batch;
}

}  // namespace shopbell::event_log
