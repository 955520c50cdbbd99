// Claims: decide about due messages, under the locks of their contacts. A claim ends a message or
// moves its due time, in one commit with the event.
#pragma once

#include <cstdint>

#include <boost/asio/awaitable.hpp>

#include "keyring/keyring.h"
#include "pg/pool.h"

namespace shopbell::messages {

struct ClaimRound {
  std::int64_t looked_at = 0;  // messages decided about; 0: none is due, or another process claims
  std::int64_t ended = 0;
};

// Claims the messages of up to limits::kClaimContacts contacts. One process claims at a time. Runs
// as the worker role.
boost::asio::awaitable<ClaimRound> claim_due(pg::Pool& database, const keyring::Keyring& keyring);

}  // namespace shopbell::messages
