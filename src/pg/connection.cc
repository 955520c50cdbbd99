#include "pg/connection.h"

#include <array>
#include <format>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <libpq-fe.h>

#include "base/limits.h"
#include "base/random.h"
#include "pg/session.h"

namespace shopbell::pg {

namespace {

// Sets the account for row-level security on the session. Sent as a group of its own: inside the
// first group that needs it, a failure would roll the setting back, and the next group, already
// sent, relies on it.
constexpr Query kSetAccount{.name = "pg.set_account",
                            .timeout = limits::kQueryTimeout,
                            .sql = "SELECT set_config('shopbell.account', $1, false)"};

// Sets another statement timeout for the rest of the group; it ends with the group's transaction.
// Set for the session, a short timeout would also apply to the statement that resets it.
constexpr Query kSetTimeout{.name = "pg.set_timeout",
                            .timeout = limits::kQueryTimeout,
                            .sql = "SELECT set_config('statement_timeout', $1, true)"};

}  // namespace

// The messages up to one Sync, and their results.
struct Connection::Exchange {
  enum class Purpose { account, prepare, group };
  Purpose purpose = Purpose::group;
  Group group;
  Steady::time_point deadline = Steady::time_point::max();
  Steady::time_point sent_at;
  Handler done;              // empty for account and prepare, and once the caller timed out
  std::size_t answered = 0;  // number of results received
  Results results;
  std::optional<Error> error;

  // Returns the name of the statement that the server has refused. If all statements have results,
  // it refused the commit: the WAL disk is full, or a deferred constraint is violated.
  std::string_view refused() const {
    const auto& statements = group.statements();
    return answered < statements.size() ? statements[answered].query->name : "commit";
  }
};

Connection::Connection(asio::io_context& loop, Terms terms, observe::Metrics& metrics,
                       std::function<void(const Connection&)> on_change)
    : loop_{loop},
      terms_{std::move(terms)},
      metrics_{metrics},
      on_change_{std::move(on_change)},
      wake_{loop.get_executor()} {}

Connection::~Connection() {
  socket_.reset();
  PQfinish(connection_);
}

void Connection::start() {
  asio::co_spawn(loop_, keep_connected(shared_from_this()), asio::detached);
}

void Connection::stop() {
  stopped_ = true;
  lose("stopped");
  wake_.ring();
}

// Holds the connection alive while it runs.
asio::awaitable<void> Connection::keep_connected(
    [[maybe_unused]] std::shared_ptr<Connection> self) {
  auto pause = limits::kReconnectFirst;
  while (!stopped_) {
    if (co_await connect()) {
      pause = limits::kReconnectFirst;
      co_await serve();
    }
    if (stopped_) break;
    // Jitter: connections that were lost together do not reconnect at the same moment.
    co_await wake_.wait_for(
        std::chrono::duration_cast<Steady::duration>(pause * (0.5 + 0.5 * jitter())));
    pause = std::min(pause * 2, limits::kReconnectMost);
  }
}

asio::awaitable<bool> Connection::connect() {
  // Queries use generic plans, made once per connection: one plan suits all parameters, and
  // planning a write costs more than running it. Sequential scans are off: a plan made for an empty
  // table stays until ANALYZE, and the table may have a million rows by then. That inflates the
  // estimated cost of small tables, so JIT is off too.
  std::string options = std::format(
      "-c TimeZone=UTC -c DateStyle=ISO -c plan_cache_mode=force_generic_plan "
      "-c enable_seqscan=off -c jit=off -c lock_timeout={} -c statement_timeout={} "
      "-c transaction_timeout={}",
      limits::kLockTimeout.count(), limits::kQueryTimeout.count(), terms_.transaction_most.count());
  if (terms_.sort_megabytes > 0) options += std::format(" -c work_mem={}MB", terms_.sort_megabytes);
  trouble_ = co_await open_session(loop_, {terms_.url, options}, connection_, socket_, stopped_);
  if (!trouble_.empty()) {
    on_change_(*this);
    co_return false;
  }
  PQenterPipelineMode(connection_);
  PQsetNoticeReceiver(connection_, receive_notice, this);
  for (auto& [query, prepared] : prepared_) prepared = {.duration = prepared.duration};
  account_.reset();
  connected_ = true;
  on_change_(*this);
  co_return true;
}

asio::awaitable<void> Connection::serve() {
  while (connected_) {
    boost::system::error_code error;
    co_await socket_->async_wait(asio::posix::stream_descriptor::wait_read,
                                 asio::redirect_error(asio::use_awaitable, error));
    if (!connected_) break;
    if (error || PQconsumeInput(connection_) == 0) {
      lose(error ? error.message() : message_of(PQerrorMessage(connection_)));
      break;
    }
    last_activity_ = Steady::now();
    read_results();
  }
}

asio::awaitable<Results> Connection::run(Group group, Scope scope) {
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<>,
                                          void(std::exception_ptr, Results)>(
      [this](auto handler, Group statements, Scope until) {
        submit(std::move(statements), until, Handler{std::move(handler)});
      },
      asio::use_awaitable, std::move(group), scope);
}

void Connection::submit(Group group, Scope scope, Handler done) {
  const bool full = groups_ >= limits::kGroupsPerConnection;
  if (!connected_ || full) {
    // Posts the error, because the caller is not waiting yet.
    const auto why =
        Error{Error::Kind::unavailable, full ? "too many statements are queued" : trouble_};
    asio::post(loop_, [done = std::move(done), why]() mutable {
      std::move(done)(std::make_exception_ptr(why), Results{});
    });
    return;
  }
  group = std::move(group).with_time_limits(kSetTimeout, limits::kQueryTimeout);
  ensure_account(scope);
  ensure_prepared(group);
  auto exchange = std::make_unique<Exchange>();
  exchange->group = std::move(group);
  exchange->deadline = scope.deadline;
  exchange->done = std::move(done);
  ++groups_;
  send(std::move(exchange));
}

void Connection::ensure_account(const Scope& scope) {
  if (!scope.account || scope.account == account_) return;
  account_ = scope.account;
  auto exchange = std::make_unique<Exchange>();
  exchange->purpose = Exchange::Purpose::account;
  exchange->group.add(kSetAccount, std::to_string(*account_));
  ensure_prepared(exchange->group);
  send(std::move(exchange));
}

void Connection::ensure_prepared(const Group& group) {
  for (const auto& statement : group.statements()) {
    auto& prepared = prepared_[statement.query];
    if (prepared.duration == nullptr) {
      prepared.duration =
          &metrics_.duration("shopbell_query_seconds", "From sending a query to its result.",
                             {{"query", std::string{statement.query->name}}});
    }
    if (std::exchange(prepared.sent, true)) continue;
    auto exchange = std::make_unique<Exchange>();
    exchange->purpose = Exchange::Purpose::prepare;
    exchange->group.add(*statement.query);
    send(std::move(exchange));
  }
}

void Connection::send(std::unique_ptr<Exchange> exchange) {
  bool sent = true;
  for (const auto& [query, parameters, own] : exchange->group.statements()) {
    const std::string name{query->name};
    if (exchange->purpose == Exchange::Purpose::prepare) {
      const std::string sql = std::format("/* {} */ {}", name, query->sql);
      sent = sent && PQsendPrepare(connection_, name.c_str(), sql.c_str(), 0, nullptr) == 1;
      continue;
    }
    std::array<const char*, 64> values;
    assert(parameters.size() <= values.size());
    std::ranges::transform(parameters, values.begin(),
                           [](const Parameter& value) { return value ? value->c_str() : nullptr; });
    sent =
        sent && PQsendQueryPrepared(connection_, name.c_str(), static_cast<int>(parameters.size()),
                                    values.data(), nullptr, nullptr, 0) == 1;
  }
  sent = sent && PQsendPipelineSync(connection_) == 1;
  exchange->sent_at = Steady::now();
  if (queue_.empty()) last_activity_ = exchange->sent_at;
  queue_.push_back(std::move(exchange));
  schedule_flush();
  // A message that could not be queued leaves the pipeline in an unknown state: reconnect.
  if (!sent) asio::post(loop_, [self = shared_from_this()] { self->lose("the pipeline broke"); });
}

// Flushes once per loop turn, for everything its requests have sent.
void Connection::schedule_flush() {
  if (flush_scheduled_) return;
  flush_scheduled_ = true;
  asio::post(loop_, [self = shared_from_this()] {
    self->flush_scheduled_ = false;
    self->flush();
  });
}

void Connection::flush() {
  if (!connected_) return;
  const int outcome = PQflush(connection_);
  if (outcome < 0) lose(message_of(PQerrorMessage(connection_)));
  if (outcome > 0) wait_writable();
}

void Connection::wait_writable() {
  if (std::exchange(waiting_writable_, true)) return;
  socket_->async_wait(asio::posix::stream_descriptor::wait_write,
                      [self = shared_from_this()](boost::system::error_code error) {
                        self->waiting_writable_ = false;
                        if (!error) self->flush();
                      });
}

void Connection::read_results() {
  bool between = false;  // the last result ended a statement
  while (connected_ && !queue_.empty() && PQisBusy(connection_) == 0) {
    PGresult* raw = PQgetResult(connection_);
    if (raw == nullptr) {
      // Two ends in a row: a write has failed, and the waiting groups get no more results.
      if (std::exchange(between, true)) return lose(message_of(PQerrorMessage(connection_)));
      continue;
    }
    between = false;
    Result result{raw};
    Exchange& exchange = *queue_.front();
    switch (PQresultStatus(raw)) {
      case PGRES_PIPELINE_SYNC:
        finish_front();
        break;
      case PGRES_TUPLES_OK:
      case PGRES_COMMAND_OK:
        if (!exchange.group.statements()[exchange.answered++].own) {
          exchange.results.push_back(std::move(result));
        }
        break;
      case PGRES_PIPELINE_ABORTED:  // this statement follows the one that failed
        break;
      default:
        exchange.error = refusal(raw, exchange.refused());
    }
  }
}

// A warning about a commit comes before the answer to the group's Sync.
void Connection::receive_notice(void* self, const pg_result* notice) {
  auto& queue = static_cast<Connection*>(self)->queue_;
  if (heed_notice(notice) && !queue.empty())
    queue.front()->error =
        Error{Error::Kind::lost, "committed, but no standby has confirmed it: it may be lost"};
}

void Connection::finish_front() {
  const std::unique_ptr<Exchange> exchange = std::move(queue_.front());
  queue_.pop_front();
  const std::chrono::duration<double> took = Steady::now() - exchange->sent_at;
  if (exchange->purpose == Exchange::Purpose::prepare) return finish_prepare(*exchange);
  for (const auto& statement : exchange->group.statements()) {
    const Prepared& prepared = prepared_[statement.query];
    prepared.duration->observe(took.count());
    // On "no such prepared statement" (26000), report why preparing it failed.
    if (exchange->error && exchange->error->sqlstate() == "26000" && prepared.failure &&
        exchange->error->query() == statement.query->name) {
      exchange->error = prepared.failure;
    }
  }
  if (exchange->purpose == Exchange::Purpose::account) {
    // The groups sent after this exchange rely on the account that it sets.
    if (exchange->error)
      lose(std::format("the account could not be set: {}", exchange->error->what()));
    return;
  }
  --groups_;
  if (!exchange->done) return;
  if (exchange->error) {
    std::move(exchange->done)(std::make_exception_ptr(*exchange->error), Results{});
  } else {
    std::move(exchange->done)(nullptr, std::move(exchange->results));
  }
}

void Connection::finish_prepare(Exchange& exchange) {
  // Groups already sent fail with this error; the next group prepares the statement again.
  Prepared& prepared = prepared_[exchange.group.statements().front().query];
  prepared.sent = !exchange.error;
  prepared.failure = std::move(exchange.error);
}

void Connection::expire(Steady::time_point now) {
  if (!queue_.empty() && now - last_activity_ > limits::kStallTimeout)
    return lose("the server does not answer");
  for (const auto& exchange : queue_) {
    if (!exchange->done || exchange->deadline > now) continue;
    asio::post(loop_, [done = std::move(exchange->done)]() mutable {
      std::move(done)(
          std::make_exception_ptr(Error{Error::Kind::timeout, "the deadline has passed"}),
          Results{});
    });
    exchange->done = nullptr;
  }
}

void Connection::lose(std::string why) {
  if (socket_) socket_->close();
  if (!std::exchange(connected_, false)) return;
  trouble_ = std::move(why);
  groups_ = 0;
  for (const auto& exchange : std::exchange(queue_, {})) {
    if (!exchange->done) continue;
    asio::post(loop_, [done = std::move(exchange->done), message = trouble_]() mutable {
      std::move(done)(std::make_exception_ptr(Error{Error::Kind::lost, message}), Results{});
    });
  }
  on_change_(*this);
}

}  // namespace shopbell::pg
