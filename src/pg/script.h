// Script: a blocking connection for `init` and `migrate`, which run whole SQL files.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "pg/error.h"
#include "pg/result.h"

struct pg_conn;

namespace shopbell::pg {

// The fields of a connection string; empty if absent.
struct Login {
  std::string user;
  std::string password;
  std::string host;
  std::string port;
  std::string database;
  std::string sslmode;
};
// Parses the string as libpq does. Throws Error.
Login read_login(const std::string& url);

class Script {
 public:
  explicit Script(const std::string& url);
  ~Script();
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;

  // Runs any number of statements; throws Error at the first that fails.
  void run(std::string_view sql);
  Result query(std::string_view sql, std::span<const std::string> parameters = {});

  // Quote values for statements that cannot take parameters.
  std::string quote_name(std::string_view name) const;
  std::string quote_text(std::string_view text) const;

  // The form in which the server stores a password, so that statements never contain the password
  // itself.
  std::string scram_verifier(const std::string& role, const std::string& password) const;

  // A connection string for another role and database on the same server, with the same TLS
  // options. `other_host` replaces the host.
  std::string url_for(const std::string& role, const std::string& password,
                      const std::string& database, const std::string& other_host = {}) const;

 private:
  Result checked(pg_result* result, std::string_view sql) const;
  pg_conn* connection_;
};

}  // namespace shopbell::pg
