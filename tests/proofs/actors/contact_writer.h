// ContactWriter: a client that makes, changes, merges and deletes contacts of its own over two
// processes, sends again what was not acknowledged, and keeps the ledger of what must be there.
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

// What all writers together saw; written on their one thread, the atomic ones read from others.
struct WriterTally {
  std::atomic<int> acknowledged = 0;  // writes
  std::atomic<std::chrono::steady_clock::time_point> last_success{};
  std::atomic<int> unavailable = 0;  // answers of 503
  int in_progress = 0;               // answers of 409
  int unknown = 0;                   // writes without a key that were never acknowledged
  int happened = 0;  // unacknowledged writes that had happened, as sending them again told
  int blind = 0;     // requests that were sent again, or twice at once, without need
  int stuck = 0;     // writes that were given up
  int others = 0;    // any other answer
  std::vector<std::string> examples;

  void wrong(const testing::Ask& ask, const testing::Answer& answer, std::string_view why);
};

class ContactWriter {
 public:
  ContactWriter(boost::asio::io_context& loop, ProcessPair& pair, const std::string& key,
                std::size_t number, std::uint64_t seed, WriterTally& tally);

  // Until it is told to stop and has an answer to everything it insists on.
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

  // Sends until it is acknowledged; nothing when that takes too long.
  boost::asio::awaitable<std::optional<Answer>> insist(Ask ask);
  boost::asio::awaitable<std::optional<Answer>> insist_keyed(Ask ask);
  // One attempt at each of the processes at the same time.
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
  std::size_t process_ = 0;  // the one it speaks to at present
  bool doubled_ = false;     // the present request was sent twice at once
  ContactLedger ledger_;
  std::vector<LedgerContact*> own_;  // those it still writes to
  WriterTally& tally_;
};

}  // namespace shopbell::proofs
