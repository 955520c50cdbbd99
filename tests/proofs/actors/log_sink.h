// Compares the effects of a log reader with the writers' ledger. The webhook reader's effect on an
// event is a delivery row per endpoint, numbered within the contact; the stream reader's is a
// message.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pg/script.h"
#include "tests/proofs/actors/log_load.h"

namespace shopbell::proofs {

struct SinkFigures {
  std::int64_t rows = 0;
  std::int64_t lost = 0;     // acknowledged events without an effect
  std::int64_t doubled = 0;  // events with more than one effect
  // Events read before an event that was acknowledged before they began.
  std::int64_t inversions = 0;
  std::int64_t disorder = 0;  // contact changes out of order
  std::int64_t gaps = 0;      // contacts whose rows are not numbered 1, 2, …
  std::int64_t unasked = 0;   // effects of events that no writer sent
  std::vector<std::string> examples;

  bool exact() const {
    return lost == 0 && doubled == 0 && inversions == 0 && disorder == 0 && gaps == 0 &&
           unasked == 0;
  }
};

// An effect of the reader.
struct SinkRow {
  Uuid event;
  std::string kind;
  std::string contact;
  std::int64_t sequence = 0;                // number of the row within the contact
  std::optional<std::int64_t> contact_seq;  // set for events that change the contact
};

// Compares the rows, passed contact by contact and in order, with the ledger. `changes` is the
// number of acknowledged contact changes.
SinkFigures compare_rows(std::vector<LedgerEvent> ledger, std::int64_t changes,
                         const std::vector<SinkRow>& rows);
// Compares the rows of webhook_delivery, of all endpoints or of one, with the ledger.
SinkFigures compare_sink(std::vector<LedgerEvent> ledger, std::int64_t changes,
                         pg::Script& database, const std::string& webhook = {});

// Waits until the webhook reader has processed all events committed so far; returns how long it
// took, at most `limit`.
std::chrono::steady_clock::duration await_webhook_reader(pg::Script& database,
                                                         std::chrono::seconds limit);

// Simpler alternatives to the log, run on the same load to show that they fail. One reads ids above
// its last; the other pages by (xid, id) below the oldest running transaction.
class RivalReaders {
 public:
  explicit RivalReaders(std::string admin_url);
  // Stops the readers. The members below may be read only afterwards.
  void stop();

  std::int64_t read_by_id = 0;
  std::int64_t lost_by_id = 0;
  std::int64_t read_by_transaction = 0;
  std::int64_t inverted_by_transaction = 0;  // number of contact changes out of order

 private:
  struct Place;
  void read(pg::Script& database, Place& place);
  void run(const std::stop_token& stopping);

  const std::string admin_url_;
  std::jthread thread_;
};

}  // namespace shopbell::proofs
