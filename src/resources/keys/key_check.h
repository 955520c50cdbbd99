// KeyCheck: who is calling. One per loop; it remembers what it learnt for less than a second, so
// that a revoked key is dead within a second on every process and the database is not asked for
// each request.
#pragma once

#include <string>
#include <unordered_map>

#include "http/call.h"
#include "keyring/keyring.h"
#include "resources/keys/key_store.h"

namespace shopbell::keys {

class KeyCheck final : public http::Authenticator {
 public:
  KeyCheck(pg::Pool& database, const keyring::Keyring& keyring)
      : database_{database}, keyring_{keyring} {}

  boost::asio::awaitable<http::Principal> identify(std::string token,
                                                   pg::Steady::time_point deadline) override;

 private:
  struct Remembered {
    FoundKey key;
    pg::Steady::time_point until;
  };

  pg::Pool& database_;
  const keyring::Keyring& keyring_;
  std::unordered_map<std::string, Remembered>
      remembered_;  // by the token's hash, never by the token
};

}  // namespace shopbell::keys
