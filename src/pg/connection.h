// Connection: one pipelined connection to PostgreSQL, used by many requests of one loop at once.
// Every group has its own Sync, so a failed group does not affect its neighbours. When the
// connection is lost, all groups in flight fail, and it reconnects by itself.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "observe/metrics.h"
#include "pg/error.h"
#include "pg/group.h"
#include "pg/result.h"
#include "runtime/wait.h"

struct pg_conn;
struct pg_result;

namespace shopbell::pg {

namespace asio = boost::asio;
using runtime::Steady;

// The account and the deadline of a group. With an account, row-level security limits the group to
// that account; without one, the group must not touch account tables.
struct Scope {
  std::optional<std::int64_t> account;
  Steady::time_point deadline = Steady::time_point::max();
};

// A connection's target and its limits on the server.
struct Terms {
  std::string url;
  // The server ends a transaction after this time.
  std::chrono::milliseconds transaction_most;
  int sort_megabytes = 0;  // memory before a sort spills to disk; 0: the server's own setting
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  // `on_change` is called after every connect, failed connect and loss.
  Connection(asio::io_context& loop, Terms terms, observe::Metrics& metrics,
             std::function<void(const Connection&)> on_change);
  ~Connection();

  // Connects, and reconnects after each loss, until stop().
  void start();
  void stop();
  // Closes the session and opens another; the server rolls back any open transaction.
  void drop() { lose("dropped"); }

  asio::awaitable<Results> run(Group group, Scope scope);

  bool connected() const { return connected_; }
  const std::string& trouble() const { return trouble_; }  // why it is not connected
  std::size_t in_flight() const { return groups_; }        // groups sent and not answered

  // Fails callers whose deadline has passed; their statements still run, and the results are
  // discarded. Closes a connection whose server has been silent for too long.
  void expire(Steady::time_point now);

 private:
  struct Exchange;
  using Handler = asio::any_completion_handler<void(std::exception_ptr, Results)>;

  asio::awaitable<void> keep_connected(std::shared_ptr<Connection> self);
  asio::awaitable<bool> connect();
  asio::awaitable<void> serve();

  void submit(Group group, Scope scope, Handler done);
  void ensure_account(const Scope& scope);
  void ensure_prepared(const Group& group);
  void send(std::unique_ptr<Exchange> exchange);
  void schedule_flush();
  void flush();
  void wait_writable();
  void read_results();
  static void receive_notice(void* self, const pg_result* notice);
  void finish_front();
  void finish_prepare(Exchange& exchange);
  void lose(std::string why);

  asio::io_context& loop_;
  const Terms terms_;
  observe::Metrics& metrics_;
  std::function<void(const Connection&)> on_change_;

  pg_conn* connection_ = nullptr;
  std::optional<asio::posix::stream_descriptor> socket_;
  runtime::Bell wake_;  // ends the pause before a reconnect
  bool connected_ = false;
  bool stopped_ = false;
  bool flush_scheduled_ = false;
  bool waiting_writable_ = false;
  std::string trouble_ = "not connected yet";

  Steady::time_point last_activity_;  // last data from the server, or first send after idling
  std::deque<std::unique_ptr<Exchange>> queue_;  // exchanges without a complete answer, in order
  std::size_t groups_ = 0;                       // callers' groups in queue_

  // State of the server-side session once everything sent so far has run.
  struct Prepared {
    observe::Duration* duration = nullptr;
    bool sent = false;
    std::optional<Error> failure;
  };
  std::map<const Query*, Prepared> prepared_;
  std::optional<std::int64_t> account_;
};

}  // namespace shopbell::pg
