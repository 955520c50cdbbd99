// Database access for accounts and their stores. Only this file uses their queries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "pg/pool.h"
#include "resources/store/store.h"

namespace shopbell::store {

// Reads the store of an account; found_store() throws not-found when there is none.
void read_store(pg::Group& reads, std::int64_t account);
Store found_store(const pg::Result& result);
// Reads whether the store has purchases: then its currency must not change, because totals use it.
void read_purchases(pg::Group& reads, std::int64_t account);
bool found_purchases(const pg::Result& result);
// Guards a change of the currency: raises a conflict (SB001) if the store has a purchase by now.
void free_currency(pg::Group& effect, std::int64_t account);

// Writes the store; raises a conflict (SB001) if a concurrent write changed it since it was read.
void update_store(pg::Group& effect, std::int64_t account, const Store& store);

// Returns the store of the scope's account; throws not-found when the account does not exist.
boost::asio::awaitable<Store> get_store(pg::Pool& database, pg::Scope scope);

struct NewAccount {
  std::string name;
  std::optional<std::string> url;
  std::string time_zone = "UTC";
  std::string currency;
  std::string locale = "en";
  std::optional<std::string> country;
};

// Returns an error message for the operator; empty when the account is valid.
std::string fault_of(const NewAccount& account);

struct CreatedAccount {
  std::int64_t live;
  std::int64_t test;
};

// Creates the live account and its test account in one transaction, with the worker's role. Like
// all changes by an operator, this adds a row to the audit trail.
boost::asio::awaitable<CreatedAccount> create_account(pg::Pool& database, pg::Scope scope,
                                                      NewAccount account, Instant now);

// Accounts for operator commands, which need the worker's database role. set_state() and set_rate()
// return false when there is no such account.
struct AccountLine {
  std::int64_t id;
  std::optional<std::int64_t> live_id;  // the live account of a test account
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
