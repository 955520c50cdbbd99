// Schema: what `shopbell migrate` does: brings the schema up to this binary, says whether it is
// there, or tries what is missing and takes it back.
#pragma once

#include <string>

namespace shopbell::app {

// Each takes the owner's connection string and prints what it found or did.
void migrate(const std::string& owner_url);

// The exit code: 0 when the schema is what this binary has, 1 when migrations are missing, 2 when
// it is newer. Changes nothing.
int check_migrations(const std::string& owner_url);

void rehearse_migrations(const std::string& owner_url);

// How many migrations this binary knows.
int schema_version();

}  // namespace shopbell::app
