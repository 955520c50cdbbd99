// Snapshot: the state of one account at one moment, on a connection of its own, from which results
// of any length stream. A read-only, repeatable-read transaction of the reader's role; it has no
// time limit, and holds nobody up. What a statement needs is written into it: COPY takes no
// parameters.
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
#include "pg/result.h"

struct pg_conn;

namespace shopbell::pg {

class Snapshot {
 public:
  explicit Snapshot(boost::asio::io_context& loop) : loop_{loop} {}
  // Ends the session; a statement under way is ended by the server.
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  // Connects and takes the snapshot, with the first statement.
  boost::asio::awaitable<void> open(std::string url, std::int64_t account);
  boost::asio::awaitable<Result> query(std::string sql);

  // `statement` is a COPY … TO STDOUT. Its rows are read by read_rows() to the end.
  boost::asio::awaitable<void> copy(std::string statement);
  // Appends rows to `block` until it has limits::kCopyBlock bytes or there are no more; how many
  // rows, 0 at the end.
  boost::asio::awaitable<std::int64_t> read_rows(std::string& block);

  // From the same loop: whatever waits, and all that follows, ends with Error::lost.
  void cancel();

  // 'it''s', {'a','b'} as a text[]: values inside a statement.
  static std::string quote(std::string_view text);
  static std::string quote(const std::vector<std::string>& texts);
  static std::string quote_name(std::string_view name);

 private:
  boost::asio::awaitable<void> send(std::string sql);
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
