// KeyCheck: authenticates API keys; one per event loop. It caches keys for less than a second, so a
// revoked key stops working within a second on every process. One request refreshes an entry before
// it expires, while others use the cached one. An address with too many failures is throttled
// before the database is queried.
#pragma once

#include <functional>
#include <string>

#include "base/limits.h"
#include "base/lru_cache.h"
#include "keyring/keyring.h"
#include "observe/metrics.h"
#include "operations/input.h"
#include "rates/key_use.h"
#include "rates/rate_limit.h"
#include "resources/keys/key_store.h"

namespace shopbell::keys {

class KeyCheck final : public operations::Authenticator {
 public:
  // While the database is unreachable, cached keys stay valid longer, by `without_database`.
  KeyCheck(pg::Pool& database, const keyring::Keyring& keyring, rates::RateLimits& limits,
           rates::KeyUse& use, observe::Metrics& metrics,
           std::chrono::seconds without_database = {},
           std::function<pg::Steady::time_point()> clock = pg::Steady::now)
      : database_{database},
        keyring_{keyring},
        limits_{limits},
        use_{use},
        failures_{metrics},
        without_database_{without_database},
        clock_{std::move(clock)} {}

  boost::asio::awaitable<operations::Caller> identify(std::string token, std::string address,
                                                      pg::Steady::time_point deadline) override;
  void note_deprecated_use(const operations::Caller& caller) override {
    use_.note_deprecated(caller.account, caller.key_id);
  }

 private:
  // Failed authentications, by reason.
  struct Failures {
    explicit Failures(observe::Metrics& metrics);

    observe::Counter& unknown;  // unknown or malformed keys
    observe::Counter& revoked;
    observe::Counter& expired;
    observe::Counter& address;  // addresses that the key does not allow
  };

  // Counts a failed authentication against the address and returns its Problem.
  Problem failure(observe::Counter& reason, std::string_view address, std::string detail);
  // Returns the cached key, if it is still valid and `why` shows that the database is unreachable.
  std::optional<FoundKey> cached_during_outage(const std::string& name, const pg::Error& why);
  // Throws quota-exceeded when the address has failed too often.
  void check_throttle(std::string_view address);
  operations::Caller caller_of(const FoundKey& key, std::string_view address);

  // Makes the stored hash depend on the keyring's current key, so that older keys can be retired.
  boost::asio::awaitable<void> rehash(const FoundKey& found, const std::vector<Sha256>& hashes,
                                      pg::Steady::time_point deadline);

  struct CachedKey {
    FoundKey key;
    pg::Steady::time_point until;
    pg::Steady::time_point refresh_at;
    pg::Steady::time_point rehash_at{};  // next attempt, if the key's hash is not current
    bool database_unreachable = false;   // the last refresh failed
  };
  bool is_valid(const CachedKey& known, pg::Steady::time_point now) const;
  void keep(const std::string& name, CachedKey cached);

  pg::Pool& database_;
  const keyring::Keyring& keyring_;
  rates::RateLimits& limits_;
  rates::KeyUse& use_;
  const Failures failures_;
  const std::chrono::seconds without_database_;
  const std::function<pg::Steady::time_point()> clock_;  // source of the cache's times
  // Keyed by the token's hash, never by the token itself.
  LruCache<std::string, CachedKey> cache_{limits::kKeyCacheBytes};
};

}  // namespace shopbell::keys
