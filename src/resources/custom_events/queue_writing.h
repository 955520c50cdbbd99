// QueueWriting: queued events into the database, many accounts in one transaction, each with the
// rights of its own. What is plain goes together; the rest is done as its request would have been,
// within the same transaction; what cannot be done is put where its sender can read it.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/problem.h"
#include "http/route.h"
#include "keyring/keyring.h"
#include "pg/pool.h"
#include "resources/custom_events/event_writing.h"
#include "resources/custom_events/queued_event.h"

namespace shopbell::custom_events {

// What became of them.
struct QueueTally {
  std::int64_t written = 0;
  std::int64_t known = 0;     // were there already, by the sender's own fallback
  std::int64_t rejected = 0;  // readable under /manage/rejected-events/
  std::int64_t erased = 0;    // of somebody who was erased since: nothing of them is kept
  std::int64_t again = 0;     // messages that Kafka has twice
};

// Thrown when what was decided by has changed: the transaction is to begin anew.
struct Again {};

class QueueWriting {
 public:
  QueueWriting(pg::Pool& database, const keyring::Keyring& keyring);

  // In their order per account and identifier. Throws Again.
  boost::asio::awaitable<QueueTally> write(pg::Transaction& transaction,
                                           std::span<const QueuedEvent> events);
  // One that the database does not take.
  boost::asio::awaitable<void> reject(pg::Transaction& transaction, const QueuedEvent& event,
                                      Problem why);
  // After a commit: who had to be looked at alone need not be any longer.
  void settled() { alone_.clear(); }

 private:
  struct Item;
  using Items = std::span<const std::unique_ptr<Item>>;

  std::unique_ptr<Item> item_of(const QueuedEvent& event) const;
  boost::asio::awaitable<void> judge(Item& item, const integrations::EventTypeSet& types);
  boost::asio::awaitable<QueueTally> write_account(pg::Transaction& transaction,
                                                   std::int64_t account, Items items);
  boost::asio::awaitable<void> take_plain(pg::Transaction& transaction, std::int64_t account,
                                          std::int64_t types_version, Items items);
  void keep_order(Items items);
  boost::asio::awaitable<void> write_one(Item& item, std::int64_t types_version);

  pg::Pool& database_;
  const keyring::Keyring& keyring_;
  const Memory memory_;
  const http::Route route_;
  // Identifiers of an account whose events are not plain, some of them: all of those are done one
  // by one, so that none overtakes another.
  std::set<std::pair<std::int64_t, std::string>> alone_;
};

}  // namespace shopbell::custom_events
