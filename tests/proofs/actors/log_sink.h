// What a reader of the log has done, compared with the ledger of the writers. The reader is the one
// of webhooks, whose effect on an event is a row for an endpoint, numbered within its contact; or
// that of the stream, whose effect is a message.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pg/script.h"
#include "tests/proofs/actors/log_load.h"

namespace shopbell::proofs {

struct SinkFigures {
  std::int64_t rows = 0;
  std::int64_t lost = 0;        // acknowledged, and without an effect
  std::int64_t doubled = 0;     // with more than one
  std::int64_t inversions = 0;  // read before one that was acknowledged before it began
  std::int64_t disorder = 0;    // events that change a contact, not in the order of its changes
  std::int64_t gaps = 0;        // contacts whose rows are not numbered 1, 2, …
  std::int64_t unasked = 0;     // of events that nobody told of
  std::vector<std::string> examples;

  bool exact() const {
    return lost == 0 && doubled == 0 && inversions == 0 && disorder == 0 && gaps == 0 &&
           unasked == 0;
  }
};

// An effect, as the reader had it.
struct SinkRow {
  Uuid event;
  std::string kind;
  std::string contact;
  std::int64_t sequence = 0;                // within the contact
  std::optional<std::int64_t> contact_seq;  // of an event that changes the contact
};

// The rows of one contact after the other, in their order. `changes`: how many changes of contacts
// were acknowledged.
SinkFigures compare_rows(std::vector<LedgerEvent> ledger, std::int64_t changes,
                         const std::vector<SinkRow>& rows);
// Those of webhooks.
SinkFigures compare_sink(std::vector<LedgerEvent> ledger, std::int64_t changes,
                         pg::Script& database);

// Alternatives that would be simpler, on the same load: a reader that asks for ids above its last,
// and one that pages by transaction and id below the oldest transaction under way. They show what
// the log is for.
class RivalReaders {
 public:
  explicit RivalReaders(std::string admin_url);
  // Everything below is for afterwards.
  void stop();

  std::int64_t read_by_id = 0;
  std::int64_t lost_by_id = 0;
  std::int64_t read_by_transaction = 0;
  std::int64_t inverted_by_transaction = 0;  // changes of a contact, not in their order

 private:
  struct Place;
  void read(pg::Script& database, Place& place);
  void run(const std::stop_token& stopping);

  const std::string admin_url_;
  std::jthread thread_;
};

}  // namespace shopbell::proofs
