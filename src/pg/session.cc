#include "pg/session.h"

#include <array>
#include <chrono>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fcntl.h>
#include <libpq-fe.h>

#include "base/limits.h"
#include "observe/log.h"

namespace shopbell::pg {

namespace asio = boost::asio;

bool heed_notice(const pg_result* notice) {
  const auto field = [&](int code) {
    const char* text = PQresultErrorField(notice, code);
    return std::string_view{text == nullptr ? "" : text};
  };
  if (field(PG_DIAG_SEVERITY_NONLOCALIZED) != "WARNING") return false;
  observe::log(observe::Level::warn, "database warning",
               {{"message", std::string{field(PG_DIAG_MESSAGE_PRIMARY)}}});
  // The warning has no SQLSTATE of its own, and its text depends on the server's language.
  return field(PG_DIAG_SOURCE_FUNCTION) == "SyncRepWaitForLSN";
}

asio::awaitable<std::string> open_session(asio::io_context& loop, Opening opening,
                                          pg_conn*& session,
                                          std::optional<asio::posix::stream_descriptor>& socket,
                                          const bool& stopped) {
  const std::array keys{"dbname", "options", "application_name", "client_encoding",
                        static_cast<const char*>(nullptr)};
  const std::array values{opening.url.c_str(), opening.options.c_str(), "shopbell", "UTF8",
                          static_cast<const char*>(nullptr)};
  PQfinish(session);
  session = PQconnectStartParams(keys.data(), values.data(), /*expand_dbname=*/1);
  const auto give_up_at = std::chrono::steady_clock::now() + limits::kConnectTimeout;
  auto wanted = PGRES_POLLING_WRITING;
  while (!stopped && session != nullptr && PQstatus(session) != CONNECTION_BAD) {
    // libpq may replace its socket while it tries addresses, so each round watches a new duplicate.
    const int descriptor = ::fcntl(PQsocket(session), F_DUPFD_CLOEXEC, 0);
    if (descriptor < 0) break;
    socket.emplace(loop, descriptor);
    asio::steady_timer give_up{loop, give_up_at};
    give_up.async_wait([&socket](boost::system::error_code error) {
      if (!error && socket) socket->cancel();
    });
    boost::system::error_code error;
    const auto direction = wanted == PGRES_POLLING_READING
                               ? asio::posix::stream_descriptor::wait_read
                               : asio::posix::stream_descriptor::wait_write;
    co_await socket->async_wait(direction, asio::redirect_error(asio::use_awaitable, error));
    if (error || stopped || std::chrono::steady_clock::now() >= give_up_at) break;
    wanted = PQconnectPoll(session);
    if (wanted == PGRES_POLLING_OK || wanted == PGRES_POLLING_FAILED) break;
  }
  if (stopped || wanted != PGRES_POLLING_OK) {
    std::string trouble =
        session == nullptr ? "out of memory" : message_of(PQerrorMessage(session));
    socket.reset();
    co_return trouble.empty() ? "connecting took too long" : std::move(trouble);
  }
  PQsetnonblocking(session, 1);
  PQsetNoticeReceiver(session, [](void*, const PGresult* notice) { heed_notice(notice); }, nullptr);
  socket.emplace(loop, ::fcntl(PQsocket(session), F_DUPFD_CLOEXEC, 0));
  co_return std::string{};
}

Error refusal(const pg_result* result, std::string_view query) {
  const auto field = [&](int code) {
    const char* text = PQresultErrorField(result, code);
    return std::string{text == nullptr ? "" : text};
  };
  return Error{field(PG_DIAG_MESSAGE_PRIMARY), field(PG_DIAG_SQLSTATE),
               field(PG_DIAG_CONSTRAINT_NAME), std::string{query}};
}

}  // namespace shopbell::pg
