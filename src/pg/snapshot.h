// Snapshot: the state of one account at one moment, on a connection of its own, streaming results
// of any length. It is a read-only, repeatable-read transaction of the reader role; it has no time
// limit and blocks no other session. Values are quoted into a COPY, because it takes no parameters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "pg/error.h"
#include "pg/group.h"
#include "pg/result.h"

struct pg_conn;

namespace shopbell::pg {

class Snapshot {
 public:
  explicit Snapshot(boost::asio::io_context& loop) : loop_{loop} {}
  // Closes the session; the server ends a running statement.
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  // Connects and takes the snapshot, with the first statement.
  boost::asio::awaitable<void> open(std::string url, std::int64_t account);
  boost::asio::awaitable<Result> query(std::string sql);
  // Runs a named query, without its time limit.
  template <class... Values>
  boost::asio::awaitable<Result> query(const Query& query, const Values&... values) {
    return run(query, {parameter(values)...});
  }

  // Starts a COPY … TO STDOUT. read_rows() reads its rows to the end.
  boost::asio::awaitable<void> copy(std::string statement);
  // Appends rows to `block` until it has limits::kCopyBlock bytes or there are no more. Returns the
  // number of rows, 0 at the end.
  boost::asio::awaitable<std::int64_t> read_rows(std::string& block);

  // Call it on the same loop. The current wait and every later call fail with Error::lost.
  void cancel();

  // Quote values for use inside a statement: 'it''s', ARRAY['a', 'b']::text[].
  static std::string quote(std::string_view text);
  static std::string quote(const std::vector<std::string>& texts);
  static std::string quote_name(std::string_view name);

 private:
  boost::asio::awaitable<Result> run(const Query& query, std::vector<Parameter> parameters);
  boost::asio::awaitable<void> send(std::string sql, std::vector<Parameter> parameters = {});
  boost::asio::awaitable<Result> query_end();
  boost::asio::awaitable<Result> next_result();
  boost::asio::awaitable<void> wait_readable();
  [[noreturn]] void lost() const;

  boost::asio::io_context& loop_;
  pg_conn* session_ = nullptr;
  std::optional<boost::asio::posix::stream_descriptor> socket_;
  bool copying_ = false;
  bool stopped_ = false;
};

}  // namespace shopbell::pg
