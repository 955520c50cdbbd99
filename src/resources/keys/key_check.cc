#include "resources/keys/key_check.h"

#include <algorithm>

#include "base/ip.h"
#include "base/limits.h"
#include "base/problem.h"

namespace shopbell::keys {

namespace {

constexpr auto kAskAfter = std::chrono::milliseconds{600};  // while what is remembered still holds
constexpr auto kAskAgain = std::chrono::milliseconds{200};  // when there was no answer

Problem refusal(Code code, std::string detail) {
  return Problem{code, std::move(detail)}.with_header(
      "WWW-Authenticate", "Bearer realm=\"shopbell\", error=\"invalid_token\"");
}

bool may_come_from(const FoundKey& key, std::string_view address) {
  return key.allowed_addresses.empty() ||
         std::ranges::any_of(key.allowed_addresses,
                             [&](const std::string& range) { return address_in(address, range); });
}

}  // namespace

boost::asio::awaitable<http::Principal> KeyCheck::identify(std::string text, std::string address,
                                                           pg::Steady::time_point deadline) {
  const auto token = Token::parse(text);
  if (!token) {
    require_patience(address);
    throw failure(address, "This is not a key of this service: its form or checksum is wrong.");
  }
  // A plain hash finds what is remembered; the keyed ones, four times as dear, are for asking the
  // database.
  const Sha256 digest = sha256(token->text);
  const std::string name{digest.begin(), digest.end()};
  const auto now = pg::Steady::now();
  const auto known = remembered_.find(name);
  if (known == remembered_.end()) {
    // Guesses are no key that was ever found: whoever shares an address with somebody who guesses
    // goes on working.
    require_patience(address);
  } else {
    if (now < known->second.ask_at && holds(known->second, now))
      co_return principal_of(known->second.key, address);
    known->second.ask_at = now + kAskAgain;
  }
  std::optional<FoundKey> found;
  try {
    found = co_await find_key(database_, {.deadline = deadline},
                              keyring_.hashes(keyring::Purpose::api_keys, token->text));
  } catch (const pg::Error& error) {
    const auto last = without_database(name, error);
    if (!last) throw;
    co_return principal_of(*last, address);
  }
  if (!found) {
    remembered_.erase(name);
    throw failure(address, "There is no such key.");
  }
  if (remembered_.size() >= limits::kKeyCacheEntries) remembered_.clear();
  remembered_.insert_or_assign(
      name, Remembered{.key = *found, .until = now + limits::kKeyCache, .ask_at = now + kAskAfter});
  http::Principal principal = principal_of(*found, address);
  use_.note(found->account, found->key_id, now);
  co_return principal;
}

bool KeyCheck::holds(const Remembered& known, pg::Steady::time_point now) const {
  return now < (known.database_away ? known.until + without_database_ : known.until);
}

std::optional<FoundKey> KeyCheck::without_database(const std::string& name, const pg::Error& why) {
  const auto known = remembered_.find(name);
  if (!why.is_outage() || known == remembered_.end()) return std::nullopt;
  known->second.database_away = true;
  if (!holds(known->second, pg::Steady::now())) return std::nullopt;
  return known->second.key;
}

Problem KeyCheck::failure(std::string_view address, std::string detail) {
  limits_.failed(address, pg::Steady::now());
  return refusal(Code::unauthorized, std::move(detail));
}

void KeyCheck::require_patience(std::string_view address) {
  const rates::Allowance allowance = limits_.may_authenticate(address, pg::Steady::now());
  if (!allowance.granted) throw rates::authentication_quota_problem(allowance);
}

http::Principal KeyCheck::principal_of(const FoundKey& key, std::string_view address) {
  if (key.revoked) throw refusal(Code::key_revoked, "The key was revoked.");
  if (key.expired) throw refusal(Code::key_expired, "The key has expired.");
  if (!may_come_from(key, address)) {
    require_patience(address);
    throw failure(address, "The key may not be used from this address.");
  }
  if (key.suspended) throw Problem{Code::account_suspended, "The account is suspended."};
  return {.account = key.account,
          .key_id = key.key_id,
          .scopes = key.scopes,
          .account_rate = key.account_rate,
          .key_rate = key.key_rate};
}

}  // namespace shopbell::keys
