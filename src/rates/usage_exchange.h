// UsageExchange: once a second, in one round trip, a process tells the others through the database
// what it granted and asks what they did, and writes down which keys were used. Without a database
// it tries again the next second, and the limits go on from what is in memory.
#pragma once

#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "base/uuid.h"
#include "pg/pool.h"
#include "rates/key_use.h"
#include "rates/rate_limit.h"
#include "rates/usage_ledger.h"
#include "runtime/wait.h"

namespace shopbell::rates {

class UsageExchange {
 public:
  // `database` is the worker's, which sees every account, and lives on `loop`.
  UsageExchange(boost::asio::io_context& loop, pg::Pool& database, RateLimits& limits,
                KeyUse& keys);

  // Until stop(). Never throws.
  boost::asio::awaitable<void> run();
  // On the loop: the round under way is the last, and takes a second at most.
  void stop();

  // One round; throws pg::Error when it could not be, which is as if it had not been tried.
  boost::asio::awaitable<void> exchange();

 private:
  void report(const std::string& trouble);

  pg::Pool& database_;
  KeyUse& keys_;
  const Uuid process_;
  UsageLedger ledger_;
  runtime::Bell wake_;
  runtime::Steady::time_point next_sweep_;
  bool stopped_ = false;
  bool troubled_ = false;
};

}  // namespace shopbell::rates
