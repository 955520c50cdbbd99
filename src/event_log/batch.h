// Batch: which events a reader is due between two ticks. A tick is a snapshot of the database, as
// PostgreSQL describes it: which transactions it shows. What the later tick shows and the earlier
// one does not is the batch; it depends on the two ticks alone, so everybody reads the same one,
// however late. Why it is not asked for by id or by transaction: docs/log.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shopbell::event_log {

using Xid = std::uint64_t;  // the number of a transaction

struct Snapshot {
  Xid xmin = 0;              // all below have ended
  Xid xmax = 0;              // this one and all above it had not
  std::vector<Xid> pending;  // between the two, those that had not ended; ascending

  // "10:20:10,14" as PostgreSQL writes it.
  static std::optional<Snapshot> parse(std::string_view text);
  bool shows(Xid transaction) const;
};

struct Tick {
  std::int64_t tick = 0;
  std::int64_t epoch = 0;
  Snapshot shows;
  bool ends = false;          // the last of its epoch: shows all of it
  std::int64_t last_id = 0;   // the ids given out by then
  std::int64_t start_id = 0;  // events of its epoch have greater ones
  std::string since;          // what it does not show was received then or later
};

// An event belongs to the batch when its id lies in (above_id, up_to_id], which keeps out another
// life's transactions of the same numbers, and its transaction is one of these: begun in
// [begin, end) and not hidden, or late. In the last batch of an epoch the
// ids above `unseen_id` belong to it whatever their transaction: the numbers of the life that
// follows, or of one that was restored, say nothing there.
struct Batch {
  std::int64_t epoch = 0;
  std::int64_t above_id = 0;
  std::int64_t up_to_id = 0;
  std::int64_t unseen_id = 0;
  Xid begin = 0;
  Xid end = 0;
  std::vector<Xid> hidden;
  std::vector<Xid> late;
  bool ends = false;

  bool holds(Xid transaction, std::int64_t id) const;
};

// Nothing when they are the last tick of an epoch and the first of the next: between those two
// nothing can happen.
std::optional<Batch> batch_between(const Tick& from, const Tick& to);

}  // namespace shopbell::event_log
