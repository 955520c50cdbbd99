// Caller: who invokes an operation, for which account, and with which scopes. Everything about a
// caller follows from its credentials, never from the request body.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/uuid.h"
#include "pg/pool.h"
#include "rates/token_bucket.h"

namespace shopbell::operations {

struct Caller {
  enum class Kind {
    key,      // an API key, over HTTP
    user,     // a person signed in to the console
    command,  // an operator at the terminal
    import,   // a row of a file
    queue,    // an event from Kafka that is being written
    engine,   // a step of a workflow
    system,   // the service itself
  };

  Kind kind = Kind::key;
  std::int64_t account = 0;
  Uuid key_id;                            // nil unless kind is `key`
  std::vector<std::string> scopes;        // scopes of a key or a user
  rates::Rate account_rate;               // the account's rate limit, for keys
  std::optional<rates::Rate> key_rate{};  // nullopt: only the account's rate applies

  // Keys and users need the scope. Other callers were authorized when their work was accepted.
  bool may(std::string_view scope) const;
  bool may_all(std::span<const std::string> scopes) const;
  std::optional<Uuid> key() const;
};

// Returns the name of a kind, such as "key" or "command".
std::string_view name_of(Caller::Kind kind);

// Identifies the Caller by a bearer token and its IP address. Throws a Problem if the token is
// refused.
class Authenticator {
 public:
  virtual ~Authenticator() = default;
  virtual boost::asio::awaitable<Caller> identify(std::string token, std::string address,
                                                  pg::Steady::time_point deadline) = 0;
  // Counts one use of a deprecated operation.
  virtual void note_deprecated_use(const Caller& caller) = 0;
};

}  // namespace shopbell::operations
