#include "pg/script.h"

#include <cstring>
#include <format>
#include <memory>
#include <vector>

#include <libpq-fe.h>

namespace shopbell::pg {

Script::Script(const std::string& url) : connection_{PQconnectdb(url.c_str())} {
  if (PQstatus(connection_) == CONNECTION_OK) {
    PQsetNoticeProcessor(connection_, [](void*, const char*) {}, nullptr);
    return;
  }
  const std::string message = message_of(PQerrorMessage(connection_));
  PQfinish(connection_);
  throw Error{Error::Kind::unavailable, message};
}

Script::~Script() { PQfinish(connection_); }

Result Script::checked(pg_result* raw, std::string_view sql) const {
  Result result{raw};
  const auto status = PQresultStatus(raw);
  if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK || status == PGRES_EMPTY_QUERY)
    return result;
  const char* state = PQresultErrorField(raw, PG_DIAG_SQLSTATE);
  const std::string message = message_of(PQresultErrorMessage(raw));
  throw Error{message, state == nullptr ? "" : state, "", std::string{sql.substr(0, 60)}};
}

void Script::run(std::string_view sql) {
  checked(PQexec(connection_, std::string{sql}.c_str()), sql);
}

Result Script::query(std::string_view sql, std::span<const std::string> parameters) {
  std::vector<const char*> values;
  for (const auto& parameter : parameters) values.push_back(parameter.c_str());
  return checked(
      PQexecParams(connection_, std::string{sql}.c_str(), static_cast<int>(values.size()), nullptr,
                   values.data(), nullptr, nullptr, 0),
      sql);
}

namespace {
std::string percent_encoded(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                       c == '_' || c == '-' || c == '.' || c == '/';
    encoded += plain ? std::string(1, c) : std::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

std::string taken(char* quoted) {
  if (quoted == nullptr) throw Error{Error::Kind::unavailable, "could not quote"};
  std::string text{quoted};
  PQfreemem(quoted);
  return text;
}
}  // namespace

std::string Script::quote_name(std::string_view name) const {
  return taken(PQescapeIdentifier(connection_, name.data(), name.size()));
}
std::string Script::quote_text(std::string_view text) const {
  return taken(PQescapeLiteral(connection_, text.data(), text.size()));
}
std::string Script::scram_verifier(const std::string& role, const std::string& password) const {
  return taken(PQencryptPasswordConn(connection_, password.c_str(), role.c_str(), "scram-sha-256"));
}

std::string Script::url_for(const std::string& role, const std::string& password,
                            const std::string& database, const std::string& other_host) const {
  const std::string host = other_host.empty() ? PQhost(connection_) : other_host;
  const bool socket = host.starts_with('/');  // a socket directory; in a URL it goes into the query
  const bool v6 = host.contains(':');
  std::string url = std::format("postgresql://{}:{}@{}:{}/{}", role, password,
                                socket ? ""
                                : v6   ? "[" + host + "]"
                                       : host,
                                PQport(connection_), percent_encoded(database));
  char mark = '?';
  const auto add = [&](std::string_view name, std::string_view value) {
    url += std::format("{}{}={}", std::exchange(mark, '&'), name, percent_encoded(value));
  };
  if (socket) add("host", host);
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options{
      PQconninfo(connection_), &PQconninfoFree};
  for (const auto* option = options.get(); option != nullptr && option->keyword != nullptr;
       ++option) {
    const std::string_view name{option->keyword};
    const bool tls = name == "sslmode" || name == "sslrootcert" || name == "channel_binding";
    const bool chosen = option->val != nullptr && (option->compiled == nullptr ||
                                                   std::strcmp(option->val, option->compiled) != 0);
    if (tls && chosen) add(name, option->val);
  }
  return url;
}

Login read_login(const std::string& url) {
  char* message = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options{
      PQconninfoParse(url.c_str(), &message), &PQconninfoFree};
  if (options == nullptr) {
    PQfreemem(message);  // the message repeats the input, which may hold a password
    throw Error{Error::Kind::unavailable, "this is not a PostgreSQL connection string"};
  }
  Login login;
  for (const auto* option = options.get(); option->keyword != nullptr; ++option) {
    const std::string_view name{option->keyword};
    const std::string value = option->val == nullptr ? "" : option->val;
    if (name == "user") login.user = value;
    if (name == "password") login.password = value;
    if (name == "host") login.host = value;
    if (name == "port") login.port = value;
    if (name == "dbname") login.database = value;
    if (name == "sslmode") login.sslmode = value;
  }
  return login;
}

}  // namespace shopbell::pg
