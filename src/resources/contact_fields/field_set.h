// FieldSet: the contact fields an account has added, cached per process. Each change of a field
// increments the account's version. Every read of contacts returns that version too, so that a
// stale set is detected and reloaded.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/limits.h"
#include "base/lru_cache.h"
#include "pg/pool.h"
#include "resources/contact_fields/contact_field.h"

namespace shopbell::contact_fields {

class FieldSet {
 public:
  FieldSet() = default;  // the set of an account that never had a field
  FieldSet(std::int64_t version, std::vector<ContactField> fields);

  std::int64_t version() const { return version_; }
  const std::vector<ContactField>& fields() const { return fields_; }  // oldest first
  const ContactField* find(std::string_view id) const;
  const ContactField* find(std::int64_t number) const;
  std::size_t bytes() const;  // memory that the fields occupy, approximately

 private:
  std::int64_t version_ = 0;
  std::vector<ContactField> fields_;
};

// The cache of all accounts' sets, shared by all event loops.
class FieldSets {
 public:
  // Returns the cached set if it has this version; else loads the current set.
  boost::asio::awaitable<std::shared_ptr<const FieldSet>> get(pg::Pool& database, pg::Scope scope,
                                                              std::int64_t version);
  // Returns the cached set before the version is known. The set may be stale or empty.
  std::shared_ptr<const FieldSet> remembered(std::int64_t account) const;

 private:
  mutable std::mutex mutex_;
  mutable LruCache<std::int64_t, std::shared_ptr<const FieldSet>> sets_{limits::kFieldCacheBytes};
};

}  // namespace shopbell::contact_fields
