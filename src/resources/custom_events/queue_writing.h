// QueueWriting: writes queued events to the database, many accounts per transaction. Simple events
// of all accounts are written together, so that the number of statements does not depend on the
// number of accounts. The others are written one by one like requests, each under the row-level
// security of its account. Events that cannot be written are stored as rejected, for their sender
// to read.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/problem.h"
#include "keyring/keyring.h"
#include "operations/operation.h"
#include "pg/pool.h"
#include "resources/custom_events/event_writing.h"
#include "resources/custom_events/queued_event.h"

namespace shopbell::custom_events {

// Counts the events of a transaction by their result.
struct QueueTally {
  std::int64_t written = 0;
  std::int64_t known = 0;     // events already written without the queue
  std::int64_t rejected = 0;  // events listed under /manage/rejected-events/
  std::int64_t erased = 0;    // events of erased contacts; nothing is stored
  std::int64_t forged = 0;    // messages in Kafka without a valid signature
  std::int64_t again = 0;     // messages that Kafka has twice
  std::int64_t dropped = 0;   // events of deleted accounts; nothing is stored
};

// Thrown if data that a decision used has changed: the transaction must restart.
struct RestartTransaction {};

class QueueWriting {
 public:
  QueueWriting(pg::Pool& database, const keyring::Keyring& keyring);

  // Writes the events, in order per account and identifier. Throws RestartTransaction.
  boost::asio::awaitable<QueueTally> write(pg::Transaction& transaction,
                                           std::span<const QueuedEvent> events);
  // Stores the event as rejected, after the database refused it.
  boost::asio::awaitable<void> reject(pg::Transaction& transaction, const QueuedEvent& event,
                                      Problem why);
  // Call this after a commit: identifiers written one by one may be batched again.
  void settled() { one_by_one_.clear(); }

 private:
  struct Item;
  struct Batch;

  std::unique_ptr<Item> item_of(const QueuedEvent& event) const;
  boost::asio::awaitable<void> load(Batch& batch);
  boost::asio::awaitable<void> validate(Item& item, const integrations::EventTypeSet& types);
  boost::asio::awaitable<void> take_batchable(Batch& batch);
  void keep_order(const Batch& batch);
  boost::asio::awaitable<void> write_one(Batch& batch, Item& item);
  boost::asio::awaitable<QueueTally> finish(Batch& batch);

  pg::Pool& database_;
  const keyring::Keyring& keyring_;
  const Memory memory_;
  const operations::Operation operation_;
  // Identifiers of contacts with an event that cannot be batched. All their events are written
  // one by one, so that no event overtakes another.
  std::set<std::pair<std::int64_t, std::string>> one_by_one_;
};

}  // namespace shopbell::custom_events
