#include "pg/script.h"

#include <vector>

#include <libpq-fe.h>

namespace shopbell::pg {

Script::Script(const std::string& url) : connection_{PQconnectdb(url.c_str())} {
  if (PQstatus(connection_) == CONNECTION_OK) {
    PQsetNoticeProcessor(connection_, [](void*, const char*) {}, nullptr);
    return;
  }
  std::string message = PQerrorMessage(connection_);
  while (message.ends_with('\n')) message.pop_back();
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
  std::string message = PQresultErrorMessage(raw);
  while (message.ends_with('\n')) message.pop_back();
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
std::string Script::host() const { return PQhost(connection_); }
std::string Script::port() const { return PQport(connection_); }

}  // namespace shopbell::pg
