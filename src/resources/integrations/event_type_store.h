// Event types in the database: the only place that names their queries.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "pg/group.h"
#include "pg/pool.h"
#include "resources/integrations/event_type.h"
#include "resources/integrations/event_type_set.h"

namespace shopbell::integrations {

// The workflows that use the type of that id or alias, or any type of the integration: JSON, "[]"
// if there is none.
void read_type_users(pg::Group& reads, std::int64_t account, const std::string& named);
void read_type_users(pg::Group& reads, std::int64_t account, const Uuid& integration);
std::string found_type_users(const pg::Result& result);

// By id or alias, depending on the form of the text.
void read_event_type(pg::Group& reads, std::int64_t account, const std::string& named);
void read_event_type_by_alias(pg::Group& reads, std::int64_t account,
                              const std::optional<std::string>& alias);
std::optional<EventType> found_event_type(const pg::Result& result);

// The number of event types of the account.
void read_event_type_count(pg::Group& reads, std::int64_t account);
std::int64_t found_event_type_count(const pg::Result& result);

// The writes. Each one fails with a conflict if the data it is based on has changed since.
void insert_event_type(pg::Group& effect, std::int64_t account, const EventType& type,
                       const std::optional<std::vector<std::uint8_t>>& sealed_secret);
void update_event_type(pg::Group& effect, std::int64_t account, const EventType& type);
// The previous secret stays valid for limits::kPreviousSecretValid.
void rotate_secret(pg::Group& effect, std::int64_t account, const EventType& type,
                   const std::vector<std::uint8_t>& sealed_secret);
void delete_event_type(pg::Group& effect, std::int64_t account, const EventType& type);

struct TypeListing {
  Uuid integration;
  std::optional<std::string> after;
  bool ascending = false;
  std::int64_t limit = 0;
};
// Nothing if there is no such integration.
boost::asio::awaitable<std::optional<std::vector<EventType>>> list_event_types(pg::Pool& database,
                                                                               pg::Scope scope,
                                                                               TypeListing listing);

// The version of the account's event types: read together with the data they are used for.
void read_definitions_version(pg::Group& reads, std::int64_t account);
std::int64_t found_definitions_version(const pg::Result& result);
boost::asio::awaitable<EventTypeSet> load_event_types(pg::Pool& database, pg::Scope scope);

}  // namespace shopbell::integrations
