// Install: `shopbell init` makes roles, database, configuration, keyring and the first store from
// one administrator's connection string.
#pragma once

#include <filesystem>
#include <string>

#include "app/config/layout.h"
#include "resources/store/accounts.h"

namespace shopbell::app {

struct Installation {
  std::string admin_url;  // empty: see connect_administrator
  std::string database = "shopbell";
  std::filesystem::path directory = default_directory();
  std::string listen = "127.0.0.1:8080";
  std::string private_listen = "127.0.0.1:9090";
  bool without_store = false;
  store::NewAccount store{.name = "My store", .currency = "EUR"};
};

// What is there stays as it is and is told; what is missing is made, so that an init that was cut
// off is finished by the next one. Throws with what is in the way and how to go on: above all, an
// installation whose files are elsewhere is not touched.
void init(const Installation& installation);

}  // namespace shopbell::app
