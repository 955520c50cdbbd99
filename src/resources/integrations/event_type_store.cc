#include "resources/integrations/event_type_store.h"

#include "base/limits.h"
#include "resources/integrations/event_field_json.h"
#include "resources/integrations/event_type_json.h"
#include "resources/integrations/integration_store.h"
#include "resources/integrations/queries.h"

namespace shopbell::integrations {

namespace {

EventType type_of(const pg::Row& row) {
  return {.id = row.uuid("event_type_id"),
          .integration_id = row.uuid("integration_id"),
          .name = row.text("name"),
          .direction = row.text("direction"),
          .alias = row.maybe_text("alias"),
          .fields = fields_from_json(row.view("fields")),
          .additional_members = row.text("additional_members"),
          .url = row.maybe_text("url"),
          .headers = outgoing::headers_from_json(row.view("headers")),
          .status = row.maybe_text("state"),
          .reason = row.maybe_text("reason"),
          .failing_since = row.maybe_instant("failing_since"),
          .created_at = row.instant("created_at"),
          .updated_at = row.instant("updated_at"),
          .version = row.integer("version")};
}

KnownEventType known_type_of(const pg::Row& row) {
  return {.id = row.uuid("event_type_id"),
          .integration_id = row.uuid("integration_id"),
          .name = row.text("name"),
          .alias = row.maybe_text("alias").value_or(""),
          .receives = row.view("direction") == "receive",
          .events_enabled = row.boolean("events_enabled"),
          .payload =
              PayloadShape{fields_from_json(row.view("fields")), row.view("additional_members")}};
}

}  // namespace

void read_type_users(pg::Group& reads, std::int64_t account, const std::string& named) {
  const auto id = Uuid::parse(named);
  reads.add(sql::find_type_users, account, id, id ? std::nullopt : std::optional{named},
            std::nullopt);
}

void read_type_users(pg::Group& reads, std::int64_t account, const Uuid& integration) {
  reads.add(sql::find_type_users, account, std::nullopt, std::nullopt, integration);
}

std::string found_type_users(const pg::Result& result) { return result[0].text("used_by"); }

void read_event_type(pg::Group& reads, std::int64_t account, const std::string& named) {
  const auto id = Uuid::parse(named);
  id ? reads.add(sql::get_event_type, account, *id)
     : reads.add(sql::get_event_type_by_alias, account,
                 is_alias(named) ? std::optional{named} : std::nullopt);
}

void read_event_type_by_alias(pg::Group& reads, std::int64_t account,
                              const std::optional<std::string>& alias) {
  reads.add(sql::get_event_type_by_alias, account, alias);
}

std::optional<EventType> found_event_type(const pg::Result& result) {
  return result.first().transform(type_of);
}

void read_event_type_count(pg::Group& reads, std::int64_t account) {
  reads.add(sql::count_event_types, account);
}

std::int64_t found_event_type_count(const pg::Result& result) {
  return result[0].integer("event_types");
}

void insert_event_type(pg::Group& effect, std::int64_t account, const EventType& type,
                       const std::optional<std::vector<std::uint8_t>>& sealed_secret) {
  effect.add(sql::count_definition_change, account);  // serializes concurrent inserts
  effect.add(sql::require_room_for_event_type, account, type.integration_id, limits::kEventTypes);
  std::optional<std::span<const std::uint8_t>> secret;
  if (sealed_secret) secret = *sealed_secret;
  effect.add(sql::insert_event_type, account, type.id, type.integration_id, type.name,
             type.direction, type.alias, fields_to_json(type.fields), type.additional_members,
             type.url, outgoing::headers_to_json(type.headers), secret, type.created_at);
}

void update_event_type(pg::Group& effect, std::int64_t account, const EventType& type) {
  effect.add(sql::count_definition_change, account);
  effect.add(sql::update_event_type, account, type.id, type.version, type.name,
             fields_to_json(type.fields), type.url, outgoing::headers_to_json(type.headers),
             type.updated_at);
}

void rotate_secret(pg::Group& effect, std::int64_t account, const EventType& type,
                   const std::vector<std::uint8_t>& sealed_secret) {
  effect.add(sql::count_definition_change, account);
  effect.add(sql::rotate_signing_secret, account, type.id, type.version,
             std::span<const std::uint8_t>{sealed_secret},
             type.updated_at + limits::kPreviousSecretValid, type.updated_at);
}

void delete_event_type(pg::Group& effect, std::int64_t account, const EventType& type) {
  effect.add(sql::count_definition_change, account);
  effect.add(sql::delete_event_type, account, type.id, type.version);
}

boost::asio::awaitable<std::optional<std::vector<EventType>>> list_event_types(
    pg::Pool& database, pg::Scope scope, TypeListing listing) {
  pg::Group reads;
  read_integration(reads, *scope.account, listing.integration);
  reads.add(listing.ascending ? sql::list_oldest_event_types : sql::list_newest_event_types,
            *scope.account, listing.integration, listing.after, listing.limit);
  const pg::Results found = co_await database.run(std::move(reads), scope);
  if (found[0].empty()) co_return std::nullopt;
  co_return found[1].map(type_of);
}

void read_definitions_version(pg::Group& reads, std::int64_t account) {
  reads.add(sql::get_definitions_version, account);
}

std::int64_t found_definitions_version(const pg::Result& result) {
  return result[0].integer("definitions_version");
}

boost::asio::awaitable<EventTypeSet> load_event_types(pg::Pool& database, pg::Scope scope) {
  pg::Group reads;
  // Read the version before the types: if a type changes in between, the set has a stale version
  // and is read again.
  read_definitions_version(reads, *scope.account);
  reads.add(sql::list_definitions, *scope.account, limits::kEventTypes);
  const pg::Results found = co_await database.run(std::move(reads), scope);
  std::vector<KnownEventType> types = found[1].map(known_type_of);
  co_return EventTypeSet{found_definitions_version(found[0]), std::move(types)};
}

boost::asio::awaitable<std::vector<outgoing::SealedSecrets>> list_sealed_event_types(
    pg::Pool& database, pg::Scope scope, std::optional<Uuid> after) {
  const pg::Result found = co_await database.query(scope, sql::list_sealed_event_types,
                                                   *scope.account, after, limits::kPageMost);
  co_return found.map([](const pg::Row& row) {
    return outgoing::SealedSecrets{
        .owner = row.uuid("owner"),
        .version = row.integer("version"),
        .headers = outgoing::headers_from_json(row.view("headers")),
        .signing_secret = row.maybe_bytes("signing_secret"),
        .previous_signing_secret = row.maybe_bytes("previous_signing_secret")};
  });
}

boost::asio::awaitable<void> reseal_event_type(pg::Pool& database, pg::Scope scope,
                                               outgoing::SealedSecrets secrets) {
  co_await database.query(scope, sql::reseal_event_type, *scope.account, secrets.owner,
                          secrets.version, outgoing::headers_to_json(secrets.headers),
                          secrets.signing_secret, secrets.previous_signing_secret);
}

}  // namespace shopbell::integrations
