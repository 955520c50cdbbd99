// KeyCheck: who is calling. One per loop; it remembers what it learnt for less than a second, so
// that a revoked key is dead within a second on every process and the database is not asked for
// each request. It is asked again before that has passed, by one request: the others go on. An
// address that fails too often is turned away before the database is asked.
#pragma once

#include <string>
#include <unordered_map>

#include "http/call.h"
#include "keyring/keyring.h"
#include "rates/key_use.h"
#include "rates/rate_limit.h"
#include "resources/keys/key_store.h"

namespace shopbell::keys {

class KeyCheck final : public http::Authenticator {
 public:
  // What it learnt last holds for `without_database` longer while the database cannot be asked.
  KeyCheck(pg::Pool& database, const keyring::Keyring& keyring, rates::RateLimits& limits,
           rates::KeyUse& use, std::chrono::seconds without_database = {})
      : database_{database},
        keyring_{keyring},
        limits_{limits},
        use_{use},
        without_database_{without_database} {}

  boost::asio::awaitable<http::Principal> identify(std::string token, std::string address,
                                                   pg::Steady::time_point deadline) override;
  void note_deprecated_use(const http::Principal& caller) override {
    use_.note_deprecated(caller.account, caller.key_id);
  }

 private:
  // The refusal of a failed authentication, which counts against the address.
  Problem failure(std::string_view address, std::string detail);
  // What was remembered of it, when that still holds although the database cannot be asked.
  std::optional<FoundKey> without_database(const std::string& name, const pg::Error& why);
  // Throws when the address has failed too often.
  void require_patience(std::string_view address);
  http::Principal principal_of(const FoundKey& key, std::string_view address);

  struct Remembered {
    FoundKey key;
    pg::Steady::time_point until;
    pg::Steady::time_point ask_at;
    bool database_away = false;  // when it was last asked
  };
  bool holds(const Remembered& known, pg::Steady::time_point now) const;

  pg::Pool& database_;
  const keyring::Keyring& keyring_;
  rates::RateLimits& limits_;
  rates::KeyUse& use_;
  const std::chrono::seconds without_database_;
  std::unordered_map<std::string, Remembered>
      remembered_;  // by the token's hash, never by the token
};

}  // namespace shopbell::keys
