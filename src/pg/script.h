// Script: a plain blocking connection for `init` and `migrate`, which run whole files of SQL and
// need nothing else.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "pg/error.h"
#include "pg/result.h"

struct pg_conn;

namespace shopbell::pg {

// What a connection string says by itself; empty where it says nothing.
struct Login {
  std::string user;
  std::string password;
  std::string host;
  std::string port;
  std::string database;
};
// As libpq reads it. Throws Error.
Login read_login(const std::string& url);

class Script {
 public:
  explicit Script(const std::string& url);
  ~Script();
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;

  // Any number of statements; throws Error at the first that fails.
  void run(std::string_view sql);
  Result query(std::string_view sql, std::span<const std::string> parameters = {});

  // Safe inside a statement, where a parameter cannot stand.
  std::string quote_name(std::string_view name) const;
  std::string quote_text(std::string_view text) const;

  // What the server keeps of a password, so that the password itself never travels inside a
  // statement.
  std::string scram_verifier(const std::string& role, const std::string& password) const;

  // How another role reaches another database of the same server, with the same demands on TLS; on
  // another host when one is named.
  std::string url_for(const std::string& role, const std::string& password,
                      const std::string& database, const std::string& other_host = {}) const;

 private:
  Result checked(pg_result* result, std::string_view sql) const;
  pg_conn* connection_;
};

}  // namespace shopbell::pg
