// EventTypeSet: the event types of an account, cached per process, to check events by. Each change
// of a type or of its integration increments a version. Every write of an event reads this version,
// so that a stale set is never used.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/limits.h"
#include "base/lru_cache.h"
#include "base/uuid.h"
#include "pg/pool.h"
#include "resources/integrations/event_payload.h"

namespace shopbell::integrations {

struct KnownEventType {
  Uuid id;
  Uuid integration_id;
  std::string name;
  std::string alias;  // empty if the direction is send
  bool receives = false;
  bool events_enabled = false;  // true if its integration accepts events
  PayloadShape payload;
};

class EventTypeSet {
 public:
  EventTypeSet() = default;  // the set of an account that never had an integration
  EventTypeSet(std::int64_t version, std::vector<KnownEventType> types);

  std::int64_t version() const { return version_; }
  std::size_t size() const { return types_.size(); }
  const KnownEventType* find(std::string_view alias) const;
  const KnownEventType* find(const Uuid& id) const;
  std::size_t bytes() const;  // memory that the types occupy, approximately

 private:
  std::int64_t version_ = 0;
  std::vector<KnownEventType> types_;
};

// The cache of all accounts' sets, shared by all event loops.
class EventTypeSets {
 public:
  // Returns the set of that version, from the cache if possible.
  boost::asio::awaitable<std::shared_ptr<const EventTypeSet>> get(pg::Pool& database,
                                                                  pg::Scope scope,
                                                                  std::int64_t version);
  // Returns the cached set before the version is known. The set may be stale.
  std::shared_ptr<const EventTypeSet> remembered(std::int64_t account) const;

 private:
  mutable std::mutex mutex_;
  mutable LruCache<std::int64_t, std::shared_ptr<const EventTypeSet>> sets_{
      limits::kEventTypeCacheBytes};
};

}  // namespace shopbell::integrations
