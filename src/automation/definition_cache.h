// DefinitionCache: the definitions of accounts, compiled and remembered by one process.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <utility>

#include <boost/asio/awaitable.hpp>

#include "automation/account_workflows.h"
#include "base/lru_cache.h"
#include "pg/pool.h"

namespace shopbell::automation {

// Used on one loop only.
class DefinitionCache : public Definitions {
 public:
  explicit DefinitionCache(pg::Pool& database) : database_{database} {}

  std::shared_ptr<AccountWorkflows> remembered(std::int64_t account) override;
  boost::asio::awaitable<std::shared_ptr<AccountWorkflows>> get(std::int64_t account,
                                                                AccountVersions versions) override;
  boost::asio::awaitable<void> add_versions(
      std::int64_t account, AccountWorkflows& known,
      std::set<std::pair<Uuid, std::int64_t>> wanted) override;

 private:
  boost::asio::awaitable<std::shared_ptr<AccountWorkflows>> read(std::int64_t account);

  pg::Pool& database_;
  LruCache<std::int64_t, std::shared_ptr<AccountWorkflows>> accounts_{
      limits::kDefinitionCacheBytes};
};

}  // namespace shopbell::automation
