// FieldSet: the fields an account has added to its contacts, as one process remembers them. Each
// change of a field counts a version up, and whoever reads contacts reads that version beside them:
// so a set that is remembered is used only while it is the account's own.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "pg/pool.h"
#include "resources/contact_fields/contact_field.h"

namespace shopbell::contact_fields {

class FieldSet {
 public:
  FieldSet() = default;  // of an account that never had a field
  FieldSet(std::int64_t version, std::vector<ContactField> fields);

  std::int64_t version() const { return version_; }
  const std::vector<ContactField>& fields() const { return fields_; }  // oldest first
  const ContactField* find(std::string_view id) const;
  const ContactField* find(std::int64_t number) const;

 private:
  std::int64_t version_ = 0;
  std::vector<ContactField> fields_;
};

// Shared by all loops.
class FieldSets {
 public:
  // The set of that version, from memory when it is there.
  boost::asio::awaitable<std::shared_ptr<const FieldSet>> get(pg::Pool& database, pg::Scope scope,
                                                              std::int64_t version);
  // What is remembered: a good guess before the version is known.
  std::shared_ptr<const FieldSet> remembered(std::int64_t account) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::int64_t, std::shared_ptr<const FieldSet>> sets_;
};

}  // namespace shopbell::contact_fields
