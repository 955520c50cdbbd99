#include "resources/keys/key_check.h"

#include <algorithm>

#include "base/ip.h"
#include "base/limits.h"
#include "base/problem.h"

namespace shopbell::keys {

namespace {

constexpr auto kRefreshAfter = std::chrono::milliseconds{600};  // refreshes a key before it expires
constexpr auto kRefreshRetry =
    std::chrono::milliseconds{200};  // minimum time between two refreshes

Problem refusal(Code code, std::string detail) {
  return Problem{code, std::move(detail)}.with_header(
      "WWW-Authenticate", "Bearer realm=\"shopbell\", error=\"invalid_token\"");
}

bool is_allowed_from(const FoundKey& key, std::string_view address) {
  return key.allowed_addresses.empty() ||
         std::ranges::any_of(key.allowed_addresses,
                             [&](const std::string& range) { return address_in(address, range); });
}

observe::Counter& failures_for(observe::Metrics& metrics, const char* reason) {
  return metrics.counter("shopbell_authentication_failures_total",
                         "Requests refused because of their API key, by reason.",
                         {{"reason", reason}});
}

}  // namespace

KeyCheck::Failures::Failures(observe::Metrics& metrics)
    : unknown{failures_for(metrics, "unknown")},
      revoked{failures_for(metrics, "revoked")},
      expired{failures_for(metrics, "expired")},
      address{failures_for(metrics, "address")} {}

boost::asio::awaitable<operations::Caller> KeyCheck::identify(std::string text, std::string address,
                                                              pg::Steady::time_point deadline) {
  const auto token = Token::parse(text);
  if (!token) {
    check_throttle(address);
    throw failure(failures_.unknown, address,
                  "The API key is malformed: its format or checksum is wrong.");
  }
  // The cache uses a plain hash. A keyed hash takes four times as long; only the query needs it.
  const Sha256 digest = sha256(token->text);
  const std::string name{digest.begin(), digest.end()};
  const auto now = clock_();
  CachedKey* const known = cache_.find(name);
  if (!known) {
    // Only keys that are not cached are throttled: a valid key keeps working although somebody
    // guesses keys from the same address.
    check_throttle(address);
  } else {
    if (now < known->refresh_at && is_valid(*known, now)) co_return caller_of(known->key, address);
    known->refresh_at = now + kRefreshRetry;
  }
  const auto hashes = keyring_.hashes(keyring::Purpose::api_keys, token->text);
  std::optional<FoundKey> found;
  try {
    found = co_await find_key(database_, {.deadline = deadline}, hashes);
  } catch (const pg::Error& error) {
    const auto last = cached_during_outage(name, error);
    if (!last) throw;
    co_return caller_of(*last, address);
  }
  if (!found) {
    cache_.erase(name);
    throw failure(failures_.unknown, address, "There is no such API key.");
  }
  const CachedKey* const before = cache_.find(name);
  auto rehash_at = before ? before->rehash_at : pg::Steady::time_point{};
  const bool rehashes = found->ring_key != keyring_.id_in_force() && rehash_at <= now;
  if (rehashes) rehash_at = now + limits::kRehashPause;
  keep(name, {.key = *found,
              .until = now + limits::kKeyCache,
              .refresh_at = now + kRefreshAfter,
              .rehash_at = rehash_at});
  operations::Caller caller = caller_of(*found, address);
  use_.note(found->account, found->key_id, now);
  if (rehashes) co_await rehash(*found, hashes, deadline);
  co_return caller;
}

void KeyCheck::keep(const std::string& name, CachedKey cached) {
  std::size_t bytes = 2 * name.size() + cached.key.hash.size();
  for (const auto* texts : {&cached.key.scopes, &cached.key.allowed_addresses})
    for (const auto& text : *texts) bytes += sizeof(std::string) + text.size();
  cache_.put(name, std::move(cached), bytes);
}

boost::asio::awaitable<void> KeyCheck::rehash(const FoundKey& found,
                                              const std::vector<Sha256>& hashes,
                                              pg::Steady::time_point deadline) {
  try {
    co_await rehash_key(database_, {.deadline = deadline}, found, hashes[keyring_.in_force()],
                        keyring_.id_in_force());
  } catch (const pg::Error&) {  // the key is valid anyway; a later use tries again
  }
}

bool KeyCheck::is_valid(const CachedKey& known, pg::Steady::time_point now) const {
  return now < (known.database_unreachable ? known.until + without_database_ : known.until);
}

std::optional<FoundKey> KeyCheck::cached_during_outage(const std::string& name,
                                                       const pg::Error& why) {
  CachedKey* const known = cache_.find(name);
  if (!why.is_outage() || !known) return std::nullopt;
  known->database_unreachable = true;
  if (!is_valid(*known, clock_())) return std::nullopt;
  return known->key;
}

Problem KeyCheck::failure(observe::Counter& reason, std::string_view address, std::string detail) {
  reason.add();
  limits_.failed(address, pg::Steady::now());
  return refusal(Code::unauthorized, std::move(detail));
}

void KeyCheck::check_throttle(std::string_view address) {
  const rates::Allowance allowance = limits_.may_authenticate(address, pg::Steady::now());
  if (!allowance.granted) throw rates::authentication_quota_problem(allowance);
}

operations::Caller KeyCheck::caller_of(const FoundKey& key, std::string_view address) {
  if (key.revoked) {
    failures_.revoked.add();
    throw refusal(Code::key_revoked, "The API key was revoked.");
  }
  if (key.expired) {
    failures_.expired.add();
    throw refusal(Code::key_expired, "The API key has expired.");
  }
  if (!is_allowed_from(key, address)) {
    check_throttle(address);
    throw failure(failures_.address, address, "The API key may not be used from this address.");
  }
  if (key.suspended) throw Problem{Code::account_suspended, "The account is suspended."};
  return {.account = key.account,
          .key_id = key.key_id,
          .scopes = key.scopes,
          .account_rate = key.account_rate,
          .key_rate = key.key_rate};
}

}  // namespace shopbell::keys
