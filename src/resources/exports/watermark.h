// Watermark: holds the database snapshot that an export saw. Later changes are those not visible
// in the snapshot, so that no change is missed, however late it commits. A watermark is signed, and
// bound to the account and to one incarnation of the database: after a restore or failover,
// transaction ids have another meaning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "keyring/keyring.h"

namespace shopbell::exports {

struct Moment {
  std::string incarnation;   // the database's system identifier, timeline and id
  std::int64_t taken_s = 0;  // time of the snapshot, in Unix seconds
  std::string snapshot;      // PostgreSQL's pg_snapshot: "971:980:973,975"

  bool operator==(const Moment&) const = default;
};

std::string to_text(const Moment& moment);
// Parses a moment; returns nullopt if the text is invalid.
std::optional<Moment> moment_from(std::string_view text);

std::string watermark_of(const keyring::Keyring& keyring, std::int64_t account,
                         const Moment& moment);
// Returns nullopt if the signature does not match, or the watermark belongs to another account.
std::optional<Moment> verify_watermark(const keyring::Keyring& keyring, std::int64_t account,
                                       std::string_view watermark);
// Decodes a watermark that was verified before; does not check the signature.
std::optional<Moment> moment_in(std::string_view watermark);

}  // namespace shopbell::exports
