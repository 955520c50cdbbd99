// Idempotency: a request that carries an Idempotency-Key happens once, however often it is sent.
// The claim on the key and the answer are one row, written in the transaction of the effect. The
// row holds a keyed hash of the key, and the answer sealed under a key that only the
// Idempotency-Key gives: without it nobody reads what was answered.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/digest.h"
#include "http/call.h"
#include "pg/group.h"

namespace shopbell::http {

class Claim {
 public:
  // Nothing when the request has no Idempotency-Key. Throws idempotency-key-invalid.
  static std::optional<Claim> of(const Call& call);

  // What an earlier request was answered, out of the row of sql::find_claim. Throws
  // idempotency-key-reused when that was another request.
  std::optional<Response> find_answer(const pg::Row& row) const;

  const std::vector<Sha256>& hashes() const { return hashes_; }
  void add_to(pg::Group& group, const Response& response) const;

 private:
  Claim() = default;

  std::int64_t account_ = 0;
  std::vector<Sha256> hashes_;        // of the key, under every key of the ring
  std::vector<Sha256> sealing_keys_;  // likewise
  std::size_t in_force_ = 0;
  Sha256 request_hash_{};
};

// Under which a claim on the request's Idempotency-Key is found; none when it has no key.
std::vector<Sha256> claim_hashes(const Call& call);

// The header without its quotes; nothing when it is not there. Throws idempotency-key-invalid.
std::optional<std::string> idempotency_key(const Request& request);

}  // namespace shopbell::http
