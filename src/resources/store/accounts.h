// Accounts in the database: the only place that names the store's queries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "pg/pool.h"
#include "resources/store/store.h"

namespace shopbell::store {

// The store of the scope's account, as read_store asks for it.
void read_store(pg::Group& reads, std::int64_t account);
Store found_store(const pg::Result& result);
// Guarded: refused as overtaken when the store is no longer the version that was read.
// Whether the store has purchases: they are counted in its currency.
void read_purchases(pg::Group& reads, std::int64_t account);
bool found_purchases(const pg::Result& result);
// Guards a change of the currency: overtaken when a purchase came meanwhile.
void free_currency(pg::Group& effect, std::int64_t account);

void update_store(pg::Group& effect, std::int64_t account, const Store& store);

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

// What an operator does, through the worker's connection. False: there is no such account.
struct AccountLine {
  std::int64_t id;
  std::optional<std::int64_t> live_id;  // of a test account
  std::string state;
  std::string name;
  std::int64_t requests_per_second;
  std::int64_t request_burst;
};
boost::asio::awaitable<std::vector<AccountLine>> list_accounts(pg::Pool& database, pg::Scope scope);
boost::asio::awaitable<bool> set_state(pg::Pool& database, pg::Scope scope, std::int64_t account,
                                       std::string state);
boost::asio::awaitable<bool> set_rate(pg::Pool& database, pg::Scope scope, std::int64_t account,
                                      std::int64_t per_second, std::int64_t burst);

}  // namespace shopbell::store
