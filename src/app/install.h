// Install: `shopbell init` makes roles, database, configuration and keyring from one
// administrator's connection string; `shopbell migrate` brings the schema up to this binary.
#pragma once

#include <filesystem>
#include <string>

namespace shopbell::app {

struct Installation {
  std::string admin_url;
  std::string database = "shopbell";
  std::filesystem::path directory = ".";
  std::string listen = "127.0.0.1:8080";
  std::string private_listen = "127.0.0.1:9090";
};

// Throws with what is in the way and how to go on. Refuses to touch an installation that is there.
void init(const Installation& installation);

void migrate(const std::string& owner_url);

// How many migrations this binary knows.
int schema_version();

}  // namespace shopbell::app
