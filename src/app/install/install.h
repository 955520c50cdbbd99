// Install: `shopbell init` creates roles, database, configuration, keyring and the first store,
// with the connection string of an administrator.
#pragma once

#include <filesystem>
#include <string>

#include "app/config/layout.h"
#include "resources/store/accounts.h"

namespace shopbell::app {

struct Installation {
  std::string admin_url;  // empty: see connect_administrator()
  std::string database = "shopbell";
  std::filesystem::path directory = default_directory();
  std::string listen = "127.0.0.1:8080";
  std::string private_listen = "127.0.0.1:9090";
  bool without_store = false;
  store::NewAccount store{.name = "My store", .currency = "EUR"};
};

// Keeps and reports existing parts, and creates missing ones, so that a second run completes an
// interrupted one. Throws an error with the obstacle and a remedy. Never changes an installation
// whose files are in another directory.
void init(const Installation& installation);

}  // namespace shopbell::app
