#include "resources/integrations/integration_store.h"

#include "base/limits.h"
#include "resources/integrations/queries.h"

namespace shopbell::integrations {

namespace {

Integration integration_of(const pg::Row& row) {
  return {.id = row.uuid("integration_id"),
          .name = row.text("name"),
          .description = row.maybe_text("description"),
          .color = row.maybe_text("color"),
          .image_url = row.maybe_text("image_url"),
          .events_enabled = row.boolean("events_enabled"),
          .event_type_count = row.integer("event_types"),
          .created_at = row.instant("created_at"),
          .updated_at = row.instant("updated_at"),
          .version = row.integer("version")};
}

}  // namespace

void read_integration(pg::Group& reads, std::int64_t account, const Uuid& id) {
  reads.add(sql::get_integration, account, id);
}

void read_integration_by_name(pg::Group& reads, std::int64_t account,
                              const std::optional<std::string>& name) {
  reads.add(sql::get_integration_by_name, account, name);
}

std::optional<Integration> found_integration(const pg::Result& result) {
  return result.first().transform(integration_of);
}

void read_integration_count(pg::Group& reads, std::int64_t account) {
  reads.add(sql::count_integrations, account);
}

std::int64_t found_integration_count(const pg::Result& result) {
  return result[0].integer("integrations");
}

void insert_integration(pg::Group& effect, std::int64_t account, const Integration& integration) {
  effect.add(sql::count_definition_change, account);
  effect.add(sql::require_room_for_integration, account, limits::kIntegrations);
  effect.add(sql::insert_integration, account, integration.id, integration.name,
             integration.description, integration.color, integration.image_url,
             integration.events_enabled, integration.created_at);
}

void update_integration(pg::Group& effect, std::int64_t account, const Integration& integration) {
  effect.add(sql::count_definition_change, account);
  effect.add(sql::update_integration, account, integration.id, integration.version,
             integration.name, integration.description, integration.color, integration.image_url,
             integration.events_enabled, integration.updated_at);
}

void delete_integration(pg::Group& effect, std::int64_t account, const Integration& integration) {
  effect.add(sql::count_definition_change, account);
  effect.add(sql::delete_integration, account, integration.id, integration.version,
             integration.event_type_count);
}

boost::asio::awaitable<std::vector<Integration>> list_integrations(pg::Pool& database,
                                                                   pg::Scope scope,
                                                                   std::optional<std::string> after,
                                                                   bool ascending,
                                                                   std::int64_t limit) {
  const pg::Result found = co_await database.query(
      scope, ascending ? sql::list_oldest_integrations : sql::list_newest_integrations,
      *scope.account, after, limit);
  co_return found.map(integration_of);
}

}  // namespace shopbell::integrations
