// Database access for templates. Only this file uses their queries.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

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

// Reads the alias and the number of templates, for create_template(). create_template() throws
// alias-taken or limit-reached; else it adds the insert.
void read_new_template(pg::Group& reads, std::int64_t account, const Template& message);
void create_template(pg::Group& effect, std::int64_t account, Template& message,
                     std::span<const pg::Result> found, Instant now);
// Throws template-in-use when a workflow uses the template.
void delete_template(pg::Group& effect, std::int64_t account, const Found& found);

boost::asio::awaitable<std::vector<Template>> list_templates(pg::Pool& database, pg::Scope scope,
                                                             std::optional<std::string> after,
                                                             bool ascending, std::int64_t limit);

}  // namespace shopbell::templates
