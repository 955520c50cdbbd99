// PostgresStore: the rows of the lanes in PostgreSQL, in one open transaction.
#pragma once

#include <memory>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "automation/lane_store.h"
#include "pg/pool.h"

namespace shopbell::automation {

class PostgresStore : public LaneStore {
 public:
  // `opening` begins with the fence, which returns no results.
  PostgresStore(pg::Transaction& transaction, pg::Group opening)
      : transaction_{transaction}, opening_{std::move(opening)} {}

  boost::asio::awaitable<Loaded> load(Wanted wanted) override;
  boost::asio::awaitable<Answers> look_up(Questions questions) override;
  boost::asio::awaitable<std::vector<ContactKey>> lock(std::set<ContactKey> contacts) override;
  void write(Writes writes) override;

  // The statements of write().
  pg::Group take_writes() { return std::move(writes_); }

 private:
  pg::Transaction& transaction_;
  pg::Group opening_;
  pg::Group writes_;
};

}  // namespace shopbell::automation
