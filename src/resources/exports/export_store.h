// Reads the store's data that an export is checked against: the only place that names these
// queries.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pg/group.h"
#include "pg/result.h"
#include "resources/exports/export.h"

namespace shopbell::exports {

void read_contact(pg::Group& reads, std::int64_t account, const std::optional<ContactName>& name);
std::optional<std::string> found_contact(const pg::Result& result);

// Finds which of the ids are contact fields of the store.
void read_own_fields(pg::Group& reads, std::int64_t account, const std::vector<std::string>& ids);
std::vector<std::string> found_own_fields(const pg::Result& result);

// Reads the store's time zone.
void read_time_zone(pg::Group& reads, std::int64_t account);
std::string found_time_zone(const pg::Result& result);

// Reads the incarnation of the database, which changes with a restore or failover.
void read_incarnation(pg::Group& reads);
std::string found_incarnation(const pg::Result& result);

}  // namespace shopbell::exports
