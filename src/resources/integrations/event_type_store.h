// Event types in the database. Only this file uses their queries.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "outgoing/sealed_secrets.h"
#include "pg/group.h"
#include "pg/pool.h"
#include "resources/integrations/event_type.h"
#include "resources/integrations/event_type_set.h"

namespace shopbell::integrations {

// Reads the workflows that use the type of that id or alias, or any type of the integration, as
// JSON; "[]" if there are none.
void read_type_users(pg::Group& reads, std::int64_t account, const std::string& named);
void read_type_users(pg::Group& reads, std::int64_t account, const Uuid& integration);
std::string found_type_users(const pg::Result& result);

// Reads an event type by id if the text is a UUID, else by alias.
void read_event_type(pg::Group& reads, std::int64_t account, const std::string& named);
void read_event_type_by_alias(pg::Group& reads, std::int64_t account,
                              const std::optional<std::string>& alias);
std::optional<EventType> found_event_type(const pg::Result& result);

// Reads the number of event types of the account.
void read_event_type_count(pg::Group& reads, std::int64_t account);
std::int64_t found_event_type_count(const pg::Result& result);

// Guarded writes: each raises a conflict (SB001) if the rows changed after they were read.
void insert_event_type(pg::Group& effect, std::int64_t account, const EventType& type,
                       const std::optional<std::vector<std::uint8_t>>& sealed_secret);
void update_event_type(pg::Group& effect, std::int64_t account, const EventType& type);
// Replaces the signing secret; the previous one stays valid for limits::kPreviousSecretValid.
void rotate_secret(pg::Group& effect, std::int64_t account, const EventType& type,
                   const std::vector<std::uint8_t>& sealed_secret);
void delete_event_type(pg::Group& effect, std::int64_t account, const EventType& type);

struct TypeListing {
  Uuid integration;
  std::optional<std::string> after;
  bool ascending = false;
  std::int64_t limit = 0;
};
// Returns nullopt if there is no such integration.
boost::asio::awaitable<std::optional<std::vector<EventType>>> list_event_types(pg::Pool& database,
                                                                               pg::Scope scope,
                                                                               TypeListing listing);

// Reads the version of the account's event types, together with the data that depends on them.
void read_definitions_version(pg::Group& reads, std::int64_t account);
std::int64_t found_definitions_version(const pg::Result& result);
boost::asio::awaitable<EventTypeSet> load_event_types(pg::Pool& database, pg::Scope scope);

// The encrypted values of the account's event types, in pages of kPageMost; for `keyring reseal`.
boost::asio::awaitable<std::vector<outgoing::SealedSecrets>> list_sealed_event_types(
    pg::Pool& database, pg::Scope scope, std::optional<Uuid> after);
// Does nothing if the event type has changed since it was read.
boost::asio::awaitable<void> reseal_event_type(pg::Pool& database, pg::Scope scope,
                                               outgoing::SealedSecrets secrets);

}  // namespace shopbell::integrations
