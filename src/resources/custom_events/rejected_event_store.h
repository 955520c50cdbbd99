// The queue's state in the database: offsets, leases and rejected events. Only this file's
// implementation and custom_event_store.cc use queries of custom events.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/digest.h"
#include "pg/group.h"
#include "pg/pool.h"
#include "resources/custom_events/queue_signature.h"
#include "resources/custom_events/rejected_event.h"

namespace shopbell::custom_events {

// The lease of a partition that this process holds.
struct HeldPartition {
  std::int64_t generation = 0;
  std::optional<std::int64_t> next_offset;  // nullopt: read from the beginning
  bool cutover_due = false;                 // call require_signatures

  bool operator==(const HeldPartition&) const = default;
};
using HeldPartitions = std::map<std::int32_t, HeldPartition>;

// A heartbeat: renews and acquires leases, and returns all leases that the process holds. The topic
// has `partitions`. Both hold_intake() and leave_intake() need the worker role.
// `newest_key` is the id of the newest key in the process's keyring. The database refuses a process
// whose keyring is older than that of another process: it could not verify all messages.
boost::asio::awaitable<HeldPartitions> hold_intake(pg::Pool& database, Uuid process,
                                                   std::string topic, int partitions,
                                                   std::int64_t newest_key);
boost::asio::awaitable<void> leave_intake(pg::Pool& database, Uuid process);

// Records that the partition's messages must be signed from `offset` on, its end. Returns false if
// a process that does not sign was seen meanwhile. Needs the worker role.
boost::asio::awaitable<bool> require_signatures(pg::Pool& database, std::string topic,
                                                std::int32_t partition, std::int64_t offset);
boost::asio::awaitable<SignedFrom> read_signed_from(pg::Pool& database, std::string topic);

struct Advance {
  std::int32_t partition = 0;
  HeldPartition held;
  std::int64_t to_offset = 0;
};
// The last message number of each partition and sender.
using LastNumbers = std::map<std::pair<std::int32_t, Uuid>, std::int64_t>;

// The fence: call it first in the writing transaction. Throws unless the process holds each
// partition at the given offset. Stores the senders' last numbers, and returns the previous ones.
boost::asio::awaitable<LastNumbers> advance_intake(pg::Transaction& transaction, Uuid process,
                                                   const std::string& topic,
                                                   std::span<const Advance> moves,
                                                   const LastNumbers& numbers);

// Sets the account of row-level security for the rest of the transaction.
void act_for(pg::Group& group, std::int64_t account);
// Returns the version of the event types of each of the accounts that exists; an account whose rows
// are being deleted does not.
boost::asio::awaitable<std::map<std::int64_t, std::int64_t>> find_present_accounts(
    pg::Transaction& transaction, const std::set<std::int64_t>& accounts);

void insert_rejected(pg::Group& effect, const QueuedEvent& event, const Rejection& why,
                     const std::vector<Sha256>& identifiers);
boost::asio::awaitable<std::optional<RejectedEvent>> find_rejected(pg::Pool& database,
                                                                   pg::Scope scope, Uuid id);
// Deletes a rejected event. The group fails if the event no longer exists.
void delete_rejected(pg::Group& effect, std::int64_t account, Uuid id);
boost::asio::awaitable<std::vector<RejectedEvent>> list_rejected(pg::Pool& database,
                                                                 pg::Scope scope,
                                                                 std::optional<std::string> after,
                                                                 bool ascending,
                                                                 std::int64_t limit);

}  // namespace shopbell::custom_events
