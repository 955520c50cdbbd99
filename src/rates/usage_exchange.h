// UsageExchange: once a second, in one round trip through the database, a process reports what it
// granted, reads what others granted, and stores which keys were used. Without a database it
// retries the next second, and the limits continue from memory.
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
  // `database` has the worker role, which sees every account, and runs on `loop`.
  UsageExchange(boost::asio::io_context& loop, pg::Pool& database, RateLimits& limits,
                KeyUse& keys);

  // Runs until stop(). Never throws.
  boost::asio::awaitable<void> run();
  // Call it on the loop. The current round is the last, and takes a second at most.
  void stop();

  // Runs one round. Throws pg::Error if it fails; a failed round has no effect.
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
