// Claims: decide about due messages, under the locks of their contacts. A claim ends a message or
// moves its due time, in one commit with the event.
#pragma once

#include <cstdint>
#include <optional>

#include <boost/asio/awaitable.hpp>

#include "base/time.h"
#include "keyring/keyring.h"
#include "pg/pool.h"

namespace shopbell::messages {

struct ClaimRound {
  std::int64_t looked_at = 0;  // messages decided about; 0: none is due, or another process claims
  std::int64_t ended = 0;
  std::optional<Instant> oldest;  // the earliest due time that was found
};

// Claims messages of up to limits::kClaimContacts contacts that are due at `since` or later. One
// process claims at a time. Runs as the worker role. A claim from the oldest message on would walk
// all rows that a long snapshot keeps.
boost::asio::awaitable<ClaimRound> claim_due(pg::Pool& database, const keyring::Keyring& keyring,
                                             Instant since);

}  // namespace shopbell::messages
