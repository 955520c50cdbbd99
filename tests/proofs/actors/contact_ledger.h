// ContactLedger: what a client knows about contacts it alone writes to, and the comparison of that
// with what the service says and what the database holds. What was acknowledged must be there, in
// its order and once; what was sent and never acknowledged may be there, once.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "pg/script.h"
#include "tests/proofs/actors/process_pair.h"

namespace shopbell::proofs {

// An event that a write must have left behind, or may have.
struct LedgerEntry {
  std::string label;  // kind and new values, as label_of_event reads them
  bool certain = true;
};

struct LedgerContact {
  enum class Fate { there, deleted, perhaps_deleted, merged };

  std::string external_id;
  std::string email;
  std::string id;
  std::int64_t points = 0;
  std::vector<std::string> names;  // what it may be called by now; one when all is certain
  Fate fate = Fate::there;
  const LedgerContact* merged_into = nullptr;
  std::vector<LedgerEntry> events;

  // As what it is to be found today.
  const LedgerContact& survivor() const;
};

// Contacts stay where they are, so that others can refer to them.
using ContactLedger = std::deque<LedgerContact>;

struct Comparison {
  std::int64_t contacts = 0;
  std::int64_t events = 0;
  std::int64_t missing = 0;    // acknowledged and not there
  std::int64_t twice = 0;      // there more than once
  std::int64_t disorder = 0;   // there, but not in the order of the writes or not numbered 1, 2, …
  std::int64_t unasked = 0;    // there, and nobody sent it
  std::int64_t different = 0;  // contacts that are not what they must be
  std::vector<std::string> examples;

  bool exact() const {
    return missing == 0 && twice == 0 && disorder == 0 && unasked == 0 && different == 0;
  }
};

// The rows and events of one account, or of all, as the administrator of the database sees them.
void compare_rows(const std::vector<const ContactLedger*>& ledgers, pg::Script& database,
                  Comparison& comparison, std::optional<std::int64_t> account = {});
// The same contacts as the service shows them, through both processes.
void compare_answers(const std::vector<const ContactLedger*>& ledgers, ProcessPair& pair,
                     const std::string& key, Comparison& comparison);

// A text or number among the members of a JSON object; nothing when it is not there.
std::optional<std::string> member_of(std::string_view json, std::string_view name);

}  // namespace shopbell::proofs
