// Opens a session with PostgreSQL without blocking the loop.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "pg/error.h"

struct pg_conn;
struct pg_result;

namespace shopbell::pg {

struct Opening {
  std::string url;
  std::string options;  // "-c TimeZone=UTC …"
};

// Replaces `session`, and makes `socket` watch it. Gives up after limits::kConnectTimeout, or when
// `stopped` is true and the socket is cancelled or closed. Returns the error, empty on success.
boost::asio::awaitable<std::string> open_session(
    boost::asio::io_context& loop, Opening opening, pg_conn*& session,
    std::optional<boost::asio::posix::stream_descriptor>& socket, const bool& stopped);

// Logs a warning of the server. Returns true if it says that a commit may be lost: the wait for a
// synchronous standby was cancelled.
bool heed_notice(const pg_result* notice);

// The server's error for a statement that it refused.
Error refusal(const pg_result* result, std::string_view query);

}  // namespace shopbell::pg
