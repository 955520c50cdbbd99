// Schema: implements `shopbell migrate`: applies missing migrations, lists them, or applies them
// and rolls back (dry run).
#pragma once

#include <string>

#include "pg/script.h"

namespace shopbell::app {

// Each function takes the owner's connection string and prints its results.
void migrate(const std::string& owner_url);

// Returns the exit code: 0 if the schema is up to date, 1 if migrations are missing, 2 if the
// schema is newer than this binary. Changes nothing.
int check_migrations(const std::string& owner_url);

void rehearse_migrations(const std::string& owner_url);

// Adds the row of a command to the installation's audit trail, as the owner.
void record_command(pg::Script& owner, const std::string& operation, const std::string& object);

// The number of migrations in this binary.
int schema_version();

}  // namespace shopbell::app
