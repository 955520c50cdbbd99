#include "resources/templates/template_store.h"

#include <format>

#include "base/limits.h"
#include "base/problem.h"
#include "resources/templates/content_json.h"
#include "resources/templates/queries.h"
#include "resources/workflows/store_data.h"

namespace shopbell::templates {

namespace {

Template template_of(const pg::Row& row) {
  return {.id = row.uuid("template_id"),
          .alias = row.text("alias"),
          .name = row.text("name"),
          .published_version = row.maybe_integer("published_version"),
          .draft_version = row.maybe_integer("draft_version"),
          .content = {},
          .created_at = row.instant("created_at"),
          .updated_at = row.instant("updated_at"),
          .version = row.integer("version")};
}

// A version without its content.
Content version_of(const pg::Row& row, const Template& message) {
  Content version{.id = message.id,
                  .alias = message.alias,
                  .version = row.integer("version"),
                  .status = "superseded",
                  .created_at = row.instant("created_at"),
                  .published_at = row.maybe_instant("published_at")};
  if (version.version == message.draft_version) version.status = "draft";
  if (version.version == message.published_version) version.status = "published";
  return version;
}

void update(pg::Group& effect, std::int64_t account, Template& message, Instant now) {
  effect.add(sql::update_template, account, message.id, message.version, message.published_version,
             message.draft_version, now);
  message.updated_at = now;
  ++message.version;
}

}  // namespace

void read_template(pg::Group& reads, std::int64_t account, const std::string& name) {
  reads.add(sql::get_template, account, name, Uuid::parse(name));
}

std::optional<Found> found_template(const pg::Result& result) {
  return result.first().transform(
      [](const pg::Row& row) { return Found{template_of(row), row.text("used_by")}; });
}

Found existing_template(const pg::Result& result) {
  auto found = found_template(result);
  if (!found) throw Problem{Code::not_found, "There is no template with this id or alias."};
  return std::move(*found);
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
  if (message.content && !message.published_version) message.draft_version = 1;
  effect.add(sql::insert_template, account, message.id, message.alias, message.name,
             message.published_version, message.draft_version, now);
  if (message.content)
    effect.add(sql::insert_version, account, message.id, 1,
               written_content_json().to_json(*message.content), now,
               message.published_version ? std::optional{now} : std::nullopt);
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

void read_content(pg::Group& reads, std::int64_t account, const std::string& name,
                  std::optional<std::int64_t> version) {
  reads.add(sql::get_content, account, name, Uuid::parse(name), version);
}

std::optional<Content> found_content(const pg::Result& result, const Template& message) {
  return result.first().transform([&](const pg::Row& row) {
    Content content = version_of(row, message);
    read_stored(row.view("content"), content);
    return content;
  });
}

void save_draft(pg::Group& effect, std::int64_t account, Template& message, Content& content,
                Instant now) {
  const std::int64_t version =
      message.draft_version.value_or(message.published_version.value_or(0) + 1);
  if (version > limits::kTemplateVersions)
    throw Problem{Code::limit_reached,
                  std::format("A template has at most {} versions.", limits::kTemplateVersions)};
  const bool replaces = message.draft_version.has_value();
  message.draft_version = version;
  update(effect, account, message, now);
  if (replaces) effect.add(sql::delete_draft, account, message.id, version);
  effect.add(sql::insert_version, account, message.id, version,
             written_content_json().to_json(content), now, std::nullopt);
  content.id = message.id;
  content.alias = message.alias;
  content.version = version;
  content.status = "draft";
  content.created_at = now;
}

void publish_draft(pg::Group& effect, std::int64_t account, Template& message, Content& content,
                   Instant now) {
  message.published_version = content.version;
  message.draft_version.reset();
  update(effect, account, message, now);
  effect.add(sql::publish_version, account, message.id, content.version, now);
  content.status = "published";
  content.published_at = now;
}

boost::asio::awaitable<std::vector<Content>> list_versions(pg::Pool& database, pg::Scope scope,
                                                           Template message,
                                                           VersionListing listing) {
  const pg::Result found = co_await database.query(
      scope, listing.ascending ? sql::list_oldest_versions : sql::list_newest_versions,
      *scope.account, message.id, listing.after, listing.limit);
  co_return found.map([&](const pg::Row& row) { return version_of(row, message); });
}

void read_store(pg::Group& reads, std::int64_t account) { reads.add(sql::get_store, account); }

engine::Data found_store(const pg::Result& result) { return workflows::store_data(result[0]); }

}  // namespace shopbell::templates
