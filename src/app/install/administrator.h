// Administrator: the connection that `shopbell init` makes roles and a database by. It is used once
// and kept nowhere.
#pragma once

#include <memory>
#include <string>

#include "pg/script.h"

namespace shopbell::app {

struct Administrator {
  std::unique_ptr<pg::Script> server;
  // Where the roles find the same server, when not where the administrator found it.
  std::string host;

  // How a role reaches a database of this server.
  std::string url_for(const std::string& role, const std::string& password,
                      const std::string& database) const {
    return server->url_for(role, password, database, host);
  }
};

// By the connection string, or, when it is empty: as Debian's own user for PostgreSQL over its
// socket where the caller is root and there is one, else by what is typed on the terminal. Throws
// when there is no way.
Administrator connect_administrator(const std::string& url);

}  // namespace shopbell::app
