// Administrator: the connection with which `shopbell init` creates roles and the database. It is
// used once and is not stored.
#pragma once

#include <memory>
#include <string>

#include "pg/script.h"

namespace shopbell::app {

struct Administrator {
  std::unique_ptr<pg::Script> server;
  // The host in the roles' connection strings, if it is not the administrator's; else empty.
  std::string host;

  // Returns the connection string of a role for a database of this server.
  std::string url_for(const std::string& role, const std::string& password,
                      const std::string& database) const {
    return server->url_for(role, password, database, host);
  }
};

// Connects with the connection string. If it is empty, root connects as the user postgres over
// Debian's local socket, if that exists. Otherwise the caller types a string on the terminal.
// Throws if none of these works.
Administrator connect_administrator(const std::string& url);

}  // namespace shopbell::app
