// Batch: the events that a reader must read between two ticks. A tick is a PostgreSQL snapshot: the
// set of transactions visible at that moment. The batch is what the later tick shows and the
// earlier one does not. It depends on the two ticks alone, so every process reads the same batch,
// however late. docs/log.md explains why ids or transaction numbers alone do not suffice.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace shopbell::event_log {

using Xid = std::uint64_t;  // transaction number

struct Snapshot {
  Xid xmin = 0;              // all transactions below xmin have ended
  Xid xmax = 0;              // xmax and all transactions above had not ended
  std::vector<Xid> pending;  // transactions in between that had not ended, ascending

  // "10:20:10,14" as PostgreSQL writes it.
  static std::optional<Snapshot> parse(std::string_view text);
  bool shows(Xid transaction) const;
};

struct Tick {
  std::int64_t tick = 0;
  std::int64_t epoch = 0;
  Snapshot shows;
  bool ends = false;          // true for the last tick of an epoch, which shows all its events
  std::int64_t last_id = 0;   // highest event id drawn before the tick
  std::int64_t start_id = 0;  // events of the tick's epoch have greater ids
  std::string since;          // events that the tick does not show were received then or later
  Instant at;                 // before its snapshot
};

// An event belongs to the batch if its id is in (above_id, up_to_id], and its transaction is late,
// or is in [begin, end) and not hidden. The range of ids excludes equal transaction numbers of
// another epoch. In the last batch of an epoch, ids above `unseen_id` belong to it regardless of
// their transaction: after a restore, transaction numbers cannot be compared.
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

// nullopt between the last tick of an epoch and the first of the next: no event lies between them.
std::optional<Batch> batch_between(const Tick& from, const Tick& to);

}  // namespace shopbell::event_log
