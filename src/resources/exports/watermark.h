// Watermarks: a moment of the database, as an export saw it. What changed since is what is not
// visible in its snapshot; so nothing is missed, however long a change took to be committed. A
// watermark is signed, and bound to the account and to one life of the database: a copy that was
// restored or took over counts its transactions differently.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "keyring/keyring.h"

namespace shopbell::exports {

struct Moment {
  std::string incarnation;   // of the database: system, timeline, database
  std::int64_t taken_s = 0;  // seconds since 1970
  std::string snapshot;      // PostgreSQL's pg_snapshot: "971:980:973,975"

  bool operator==(const Moment&) const = default;
};

std::string to_text(const Moment& moment);
// Nothing for what is no moment.
std::optional<Moment> moment_from(std::string_view text);

std::string watermark_of(const keyring::Keyring& keyring, std::int64_t account,
                         const Moment& moment);
// Nothing when a single letter is not what was signed, or it is another account's.
std::optional<Moment> verify_watermark(const keyring::Keyring& keyring, std::int64_t account,
                                       std::string_view watermark);
// What it says, of one that was verified before.
std::optional<Moment> moment_in(std::string_view watermark);

}  // namespace shopbell::exports
