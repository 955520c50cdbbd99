// Accounts in the database: the only place that names the store's queries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "pg/pool.h"
#include "resources/store/store.h"

namespace shopbell::store {

// The store of the scope's account; throws Problem not-found when the account is gone.
boost::asio::awaitable<Store> get_store(pg::Pool& database, pg::Scope scope);

struct NewAccount {
  std::string name;
  std::optional<std::string> url;
  std::string time_zone = "UTC";
  std::string currency;
  std::string locale = "en";
  std::optional<std::string> country;
};

// What is wrong with it, in words an operator can act on; empty when nothing is.
std::string fault_of(const NewAccount& account);

struct CreatedAccount {
  std::int64_t live;
  std::int64_t test;
};

// The live account and its test account, both or neither. For the worker's connection.
boost::asio::awaitable<CreatedAccount> create_account(pg::Pool& database, pg::Scope scope,
                                                      NewAccount account, Instant now);

}  // namespace shopbell::store
