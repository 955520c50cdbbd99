// Opening a session with PostgreSQL without keeping the loop from anything else.
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

// Replaces `session`, and lets `socket` watch it. Gives up after limits::kConnectTimeout, and once
// `stopped` is true and somebody has cancelled or closed the socket. What went wrong; empty when it
// stands.
boost::asio::awaitable<std::string> open_session(
    boost::asio::io_context& loop, Opening opening, pg_conn*& session,
    std::optional<boost::asio::posix::stream_descriptor>& socket, const bool& stopped);

// What the server said about a statement it refused.
Error refusal(const pg_result* result, std::string_view query);

}  // namespace shopbell::pg
