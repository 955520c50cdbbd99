// Database access for templates. Only this file uses their queries.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "engine/data.h"
#include "pg/group.h"
#include "pg/pool.h"
#include "resources/templates/template.h"

namespace shopbell::templates {

// A template, read by its id or alias, and the workflows that use it.
struct Found {
  Template message;
  std::string used_by;  // JSON list of workflows; "[]" when there are none
};
void read_template(pg::Group& reads, std::int64_t account, const std::string& name);
std::optional<Found> found_template(const pg::Result& result);
// Throws not-found if the result is empty.
Found existing_template(const pg::Result& result);

// Reads the alias and the number of templates, for create_template(). create_template() throws
// alias-taken or limit-reached; else it adds the insert, also of the content, which is published if
// the template has a published version.
void read_new_template(pg::Group& reads, std::int64_t account, const Template& message);
void create_template(pg::Group& effect, std::int64_t account, Template& message,
                     std::span<const pg::Result> found, Instant now);
// Throws template-in-use when a workflow uses the template.
void delete_template(pg::Group& effect, std::int64_t account, const Found& found);

boost::asio::awaitable<std::vector<Template>> list_templates(pg::Pool& database, pg::Scope scope,
                                                             std::optional<std::string> after,
                                                             bool ascending, std::int64_t limit);

// Reads a version of the content; without a number, the draft or else the published version.
void read_content(pg::Group& reads, std::int64_t account, const std::string& name,
                  std::optional<std::int64_t> version);
std::optional<Content> found_content(const pg::Result& result, const Template& message);

// Guarded writes of a content: each raises a conflict (SB001) if the template has changed since it
// was read. They change `message` to the template after the write.
void save_draft(pg::Group& effect, std::int64_t account, Template& message, Content& content,
                Instant now);
void publish_draft(pg::Group& effect, std::int64_t account, Template& message, Content& content,
                   Instant now);

struct VersionListing {
  std::optional<std::string> after;
  bool ascending = false;
  std::int64_t limit = 0;
};
boost::asio::awaitable<std::vector<Content>> list_versions(pg::Pool& database, pg::Scope scope,
                                                           Template message,
                                                           VersionListing listing);

// Reads the store as templates see it.
void read_store(pg::Group& reads, std::int64_t account);
engine::Data found_store(const pg::Result& result);

}  // namespace shopbell::templates
