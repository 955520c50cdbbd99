// Integrations in the database. Only this file uses their queries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "pg/group.h"
#include "pg/pool.h"
#include "resources/integrations/integration.h"

namespace shopbell::integrations {

void read_integration(pg::Group& reads, std::int64_t account, const Uuid& id);
void read_integration_by_name(pg::Group& reads, std::int64_t account,
                              const std::optional<std::string>& name);
std::optional<Integration> found_integration(const pg::Result& result);

void read_integration_count(pg::Group& reads, std::int64_t account);
std::int64_t found_integration_count(const pg::Result& result);

// Guarded writes: each raises a conflict (SB001) if the rows changed after they were read. All
// changes of an account's integrations and event types are serialized, and increment one version.
void insert_integration(pg::Group& effect, std::int64_t account, const Integration& integration);
void update_integration(pg::Group& effect, std::int64_t account, const Integration& integration);
void delete_integration(pg::Group& effect, std::int64_t account, const Integration& integration);

boost::asio::awaitable<std::vector<Integration>> list_integrations(pg::Pool& database,
                                                                   pg::Scope scope,
                                                                   std::optional<std::string> after,
                                                                   bool ascending,
                                                                   std::int64_t limit);

}  // namespace shopbell::integrations
