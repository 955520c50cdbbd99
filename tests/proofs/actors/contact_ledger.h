// ContactLedger: a client's record of the contacts that only it writes to. It is compared with the
// API's responses and the database. The database must hold each acknowledged write once and in
// order. It may hold an unacknowledged write, at most once.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "pg/script.h"
#include "tests/proofs/actors/process_pair.h"

namespace shopbell::proofs {

// An event that a write has caused, or may have caused.
struct LedgerEntry {
  std::string label;    // the event's kind and new values, in the format of find_events
  bool certain = true;  // true if the write was acknowledged
};

struct LedgerContact {
  enum class Fate { there, deleted, perhaps_deleted, merged };

  std::string external_id;
  std::string email;
  std::string id;
  std::int64_t points = 0;
  std::vector<std::string> names;  // possible current names; only one if no write is uncertain
  Fate fate = Fate::there;
  const LedgerContact* merged_into = nullptr;
  std::vector<LedgerEntry> events;

  // Returns the contact that this one has been merged into, or itself.
  const LedgerContact& survivor() const;
};

// The ledger is a deque, because contacts point to each other.
using ContactLedger = std::deque<LedgerContact>;

struct Comparison {
  std::int64_t contacts = 0;
  std::int64_t events = 0;
  std::int64_t missing = 0;    // acknowledged writes without an event
  std::int64_t twice = 0;      // writes with more than one event
  std::int64_t disorder = 0;   // events out of order, or not numbered 1, 2, …
  std::int64_t unasked = 0;    // events that no client caused
  std::int64_t different = 0;  // contacts with unexpected values
  std::vector<std::string> examples;

  bool exact() const {
    return missing == 0 && twice == 0 && disorder == 0 && unasked == 0 && different == 0;
  }
};

// Compares the rows and events of one account, or of all, which it reads as the database
// administrator.
void compare_rows(const std::vector<const ContactLedger*>& ledgers, pg::Script& database,
                  Comparison& comparison, std::optional<std::int64_t> account = {});
// Compares the same contacts as the API returns them, through both processes.
void compare_answers(const std::vector<const ContactLedger*>& ledgers, ProcessPair& pair,
                     const std::string& key, Comparison& comparison);

// Returns a string or number member of a JSON object; nullopt if it is missing.
std::optional<std::string> member_of(std::string_view json, std::string_view name);

}  // namespace shopbell::proofs
