#include "resources/keys/key_check.h"

#include "base/limits.h"
#include "base/problem.h"

namespace shopbell::keys {

namespace {

Problem refusal(Code code, std::string detail) {
  return Problem{code, std::move(detail)}.with_header(
      "WWW-Authenticate", "Bearer realm=\"shopbell\", error=\"invalid_token\"");
}

http::Principal principal_of(const FoundKey& key) {
  if (key.revoked) throw refusal(Code::key_revoked, "The key was revoked.");
  if (key.expired) throw refusal(Code::key_expired, "The key has expired.");
  if (key.suspended) throw Problem{Code::account_suspended, "The account is suspended."};
  return {.account = key.account, .key_id = key.key_id, .scopes = key.scopes};
}

}  // namespace

boost::asio::awaitable<http::Principal> KeyCheck::identify(std::string text,
                                                           pg::Steady::time_point deadline) {
  const auto token = Token::parse(text);
  if (!token)
    throw refusal(Code::unauthorized,
                  "This is not a key of this service: its form or checksum is wrong.");
  // A plain hash finds what is remembered; the keyed ones, four times as dear, are for asking the
  // database.
  const Sha256 digest = sha256(token->text);
  const std::string name{digest.begin(), digest.end()};
  const auto now = pg::Steady::now();
  if (const auto known = remembered_.find(name);
      known != remembered_.end() && known->second.until > now) {
    co_return principal_of(known->second.key);
  }
  const auto found = co_await find_key(database_, {.deadline = deadline},
                                       keyring_.hashes(keyring::Purpose::api_keys, token->text));
  if (!found) {
    remembered_.erase(name);
    throw refusal(Code::unauthorized, "There is no such key.");
  }
  if (remembered_.size() >= limits::kKeyCacheEntries) remembered_.clear();
  remembered_.insert_or_assign(name, Remembered{*found, now + limits::kKeyCache});
  co_return principal_of(*found);
}

}  // namespace shopbell::keys
