#include "resources/templates/template_store.h"

#include <format>

#include "base/limits.h"
#include "base/problem.h"
#include "resources/templates/queries.h"

namespace shopbell::templates {

namespace {

Template template_of(const pg::Row& row) {
  return {.id = row.uuid("template_id"),
          .alias = row.text("alias"),
          .name = row.text("name"),
          .created_at = row.instant("created_at"),
          .updated_at = row.instant("updated_at"),
          .version = row.integer("version")};
}

}  // namespace

void read_template(pg::Group& reads, std::int64_t account, const std::string& name) {
  reads.add(sql::get_template, account, name, Uuid::parse(name));
}

std::optional<Found> found_template(const pg::Result& result) {
  return result.first().transform(
      [](const pg::Row& row) { return Found{template_of(row), row.text("used_by")}; });
}

void read_new_template(pg::Group& reads, std::int64_t account, const Template& message) {
  read_template(reads, account, message.alias);
  reads.add(sql::count_templates, account);
}

void create_template(pg::Group& effect, std::int64_t account, Template& message,
                     std::span<const pg::Result> found, Instant now) {
  if (found_template(found[0]))
    throw Problem{Code::alias_taken,
                  std::format("Another template has the alias {}.", message.alias)};
  if (found[1][0].integer("templates") >= limits::kTemplates)
    throw Problem{Code::limit_reached,
                  std::format("An account has at most {} templates.", limits::kTemplates)};
  message.id = Uuid::v7(now);
  message.created_at = message.updated_at = now;
  effect.add(sql::lock_store, account);  // serializes concurrent creates: the limit is exact
  effect.add(sql::require_room_for_template, account, limits::kTemplates);
  effect.add(sql::insert_template, account, message.id, message.alias, message.name, now);
}

void delete_template(pg::Group& effect, std::int64_t account, const Found& found) {
  if (found.used_by != "[]")
    throw Problem{Code::template_in_use,
                  std::format("Workflows use the template {}; see usedBy.", found.message.alias)}
        .with_member("usedBy", found.used_by);
  effect.add(sql::delete_template, account, found.message.id, found.message.version);
}

boost::asio::awaitable<std::vector<Template>> list_templates(pg::Pool& database, pg::Scope scope,
                                                             std::optional<std::string> after,
                                                             bool ascending, std::int64_t limit) {
  const pg::Result found = co_await database.query(
      scope, ascending ? sql::list_oldest_templates : sql::list_newest_templates, *scope.account,
      after, limit);
  co_return found.map(template_of);
}

}  // namespace shopbell::templates
