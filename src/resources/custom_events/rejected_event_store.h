// The queue in the database: how far it was written, by whom, and what was rejected. With
// custom_event_store.h the only place that names queries of custom events.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/digest.h"
#include "pg/group.h"
#include "pg/pool.h"
#include "resources/custom_events/rejected_event.h"

namespace shopbell::custom_events {

// Of a partition that is ours.
struct HeldPartition {
  std::int64_t generation = 0;
  std::optional<std::int64_t> next_offset;  // nothing: the beginning

  bool operator==(const HeldPartition&) const = default;
};
using HeldPartitions = std::map<std::int32_t, HeldPartition>;

// A heartbeat: what is ours from now on. For the worker's role, as leave_intake.
boost::asio::awaitable<HeldPartitions> hold_intake(pg::Pool& database, Uuid process,
                                                   std::string topic);
boost::asio::awaitable<void> leave_intake(pg::Pool& database, Uuid process);

struct Advance {
  std::int32_t partition = 0;
  HeldPartition held;
  std::int64_t to_offset = 0;
};
// The last number of each sender, by the partition it was sent to.
using LastNumbers = std::map<std::pair<std::int32_t, Uuid>, std::int64_t>;

// The fence: first in the transaction that writes. Raises unless each is ours and where we left it.
// Remembers the numbers; returns those that were remembered of the same senders before.
boost::asio::awaitable<LastNumbers> advance_intake(pg::Transaction& transaction, Uuid process,
                                                   const std::string& topic,
                                                   std::span<const Advance> moves,
                                                   const LastNumbers& numbers);

// What follows in the transaction is of this account.
void act_for(pg::Group& group, std::int64_t account);

void insert_rejected(pg::Group& effect, const QueuedEvent& event, const Rejection& why,
                     const std::vector<Sha256>& identifiers);
boost::asio::awaitable<std::optional<RejectedEvent>> find_rejected(pg::Pool& database,
                                                                   pg::Scope scope, Uuid id);
// Guarded: raises when it is not there any more.
void delete_rejected(pg::Group& effect, std::int64_t account, Uuid id);
boost::asio::awaitable<std::vector<RejectedEvent>> list_rejected(pg::Pool& database,
                                                                 pg::Scope scope,
                                                                 std::optional<std::string> after,
                                                                 bool ascending,
                                                                 std::int64_t limit);

}  // namespace shopbell::custom_events
