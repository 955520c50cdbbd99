// ContactWriter: a client that creates, changes, merges and deletes its own contacts over two
// processes. It retries unacknowledged writes and keeps a ledger of the expected result.
#pragma once

#include <atomic>
#include <chrono>
#include <random>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "testing/http_client.h"
#include "tests/proofs/actors/contact_ledger.h"
#include "tests/proofs/actors/process_pair.h"

namespace shopbell::proofs {

// Counters of all writers together. The writers' thread writes them; other threads read only the
// atomic ones.
struct WriterTally {
  std::atomic<int> acknowledged = 0;  // number of acknowledged writes
  std::atomic<std::chrono::steady_clock::time_point> last_success{};
  std::atomic<int> unavailable = 0;  // number of 503 responses
  int in_progress = 0;               // number of 409 responses
  int unknown = 0;   // writes without an idempotency key that were never acknowledged
  int happened = 0;  // unacknowledged writes that were committed, as a retry showed
  int blind = 0;     // requests that were repeated, or sent twice at once, without need
  int stuck = 0;     // writes that were abandoned after a timeout
  int others = 0;    // number of unexpected responses
  std::vector<std::string> examples;

  void wrong(const testing::Ask& ask, const testing::Answer& answer, std::string_view why);
};

class ContactWriter {
 public:
  ContactWriter(boost::asio::io_context& loop, ProcessPair& pair, const std::string& key,
                std::size_t number, std::uint64_t seed, WriterTally& tally);

  // Runs until `stop` is set and every write in flight is acknowledged.
  boost::asio::awaitable<void> run(const std::atomic<bool>& stop);

  const ContactLedger& ledger() const { return ledger_; }

 private:
  using Answer = testing::Answer;
  using Ask = testing::Ask;

  boost::asio::awaitable<void> write_something();
  boost::asio::awaitable<void> create();
  boost::asio::awaitable<void> add_point(LedgerContact& contact);
  boost::asio::awaitable<void> rename(LedgerContact& contact);
  boost::asio::awaitable<void> rename_once(LedgerContact& contact);
  boost::asio::awaitable<void> remove(LedgerContact& contact);
  boost::asio::awaitable<void> remove_once(LedgerContact& contact);
  boost::asio::awaitable<void> merge_by_id(LedgerContact& from, LedgerContact& into);
  boost::asio::awaitable<void> merge_by_email(LedgerContact& from, LedgerContact& into);

  // Retries until the write is acknowledged; returns nullopt after a timeout.
  boost::asio::awaitable<std::optional<Answer>> insist(Ask ask);
  boost::asio::awaitable<std::optional<Answer>> insist_keyed(Ask ask);
  // Sends the request to both processes at the same time.
  boost::asio::awaitable<std::optional<Answer>> send_twice(Ask ask);
  boost::asio::awaitable<std::optional<Answer>> send_once(Ask ask);
  boost::asio::awaitable<void> send_blindly(Ask ask, Answer first);

  std::optional<Answer> success_of(const Ask& ask, Answer answer);
  bool take_chance(unsigned percent) { return random_() % 100 < percent; }
  std::string next_mark();
  LedgerContact& pick();
  void forget(const LedgerContact& contact);

  boost::asio::io_context& loop_;
  PairClient client_;
  std::size_t number_;
  std::mt19937_64 random_;
  std::size_t marks_ = 0;
  std::size_t process_ = 0;  // the process that the writer currently sends to
  bool doubled_ = false;     // true if the current request was sent twice at once
  ContactLedger ledger_;
  std::vector<LedgerContact*> own_;  // the contacts that the writer still writes to
  WriterTally& tally_;
};

}  // namespace shopbell::proofs
