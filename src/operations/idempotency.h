// Idempotency: a request that carries an idempotency key takes effect once, however often it is
// sent. The claim on the key and the output are one row, written in the transaction of the effect.
// The row holds a keyed hash of the key, and the output encrypted under a key derived from the
// idempotency key: nobody can read the output without it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/digest.h"
#include "operations/output.h"
#include "pg/group.h"

namespace shopbell::operations {

class Claim {
 public:
  // Returns nullopt if the caller sent no key.
  static std::optional<Claim> of(const Input& input);

  // The stored output of an earlier request, from the row of sql::find_claim. Throws
  // idempotency-key-reused if the key was used for another request.
  std::optional<Output> find_answer(const pg::Row& row) const;

  const std::vector<Sha256>& hashes() const { return hashes_; }
  void add_to(pg::Group& group, const Output& output) const;

 private:
  Claim() = default;

  std::int64_t account_ = 0;
  std::vector<Sha256> hashes_;        // the hash under every key of the keyring
  std::vector<Sha256> sealing_keys_;  // one per key of the keyring
  std::size_t in_force_ = 0;
  Sha256 request_hash_{};
};

// The hashes that a claim on the caller's key may be stored under; none without a key.
std::vector<Sha256> claim_hashes(const Input& input);

}  // namespace shopbell::operations
