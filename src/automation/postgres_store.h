// PostgresStore: the rows of the lanes in PostgreSQL, in one open transaction.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "automation/lane_store.h"
#include "keyring/keyring.h"
#include "pg/pool.h"
#include "resources/contacts/contact.h"

namespace shopbell::automation {

class PostgresStore : public LaneStore {
 public:
  // `opening` begins with the fence, which returns no results.
  PostgresStore(pg::Transaction& transaction, pg::Group opening, const keyring::Keyring& keyring)
      : transaction_{transaction}, opening_{std::move(opening)}, keyring_{keyring} {}

  boost::asio::awaitable<Loaded> load(Wanted wanted) override;
  boost::asio::awaitable<Answers> look_up(Questions questions) override;
  boost::asio::awaitable<std::vector<ContactKey>> lock(std::set<ContactKey> contacts) override;
  boost::asio::awaitable<void> write(Writes writes) override;

  // The statements of write().
  pg::Group take_writes() { return std::move(writes_); }

 private:
  boost::asio::awaitable<void> change_contacts(std::vector<ContactChange> changes);

  pg::Transaction& transaction_;
  pg::Group opening_;
  const keyring::Keyring& keyring_;
  pg::Group writes_;
  std::map<ContactKey, contacts::Contact> locked_;  // as they are now
  std::optional<Instant> now_;                      // the time of the transaction; set by lock()
};

}  // namespace shopbell::automation
