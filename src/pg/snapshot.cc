#include "pg/snapshot.h"

#include <format>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <libpq-fe.h>

#include "base/limits.h"
#include "pg/session.h"

namespace shopbell::pg {

namespace asio = boost::asio;

namespace {

// The server checks periodically that the client is connected, so that an abandoned statement ends
// even if it sends nothing. JIT is off: each statement is long and runs once, and compiling it
// would take seconds.
constexpr std::string_view kOptions =
    "-c TimeZone=UTC -c DateStyle=ISO -c statement_timeout=0 -c lock_timeout=0 "
    "-c idle_in_transaction_session_timeout=60000 -c client_connection_check_interval=500 "
    "-c jit=off";

constexpr Query kOpen{.name = "pg.open_snapshot",
                      .timeout = limits::kQueryTimeout,
                      .sql = "SELECT set_config('shopbell.account', $1, true)"};

}  // namespace

Snapshot::~Snapshot() {
  socket_.reset();
  PQfinish(session_);
}

void Snapshot::cancel() {
  stopped_ = true;
  if (socket_) socket_->cancel();
}

void Snapshot::lost() const {
  throw Error{Error::Kind::lost,
              stopped_ || session_ == nullptr ? "cancelled" : message_of(PQerrorMessage(session_))};
}

asio::awaitable<void> Snapshot::open(std::string url, std::int64_t account) {
  const std::string trouble = co_await open_session(loop_, {std::move(url), std::string{kOptions}},
                                                    session_, socket_, stopped_);
  if (!trouble.empty()) throw Error{Error::Kind::unavailable, trouble};
  co_await query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  co_await query(kOpen, account);
}

asio::awaitable<Result> Snapshot::query(std::string sql) {
  co_await send(sql);
  co_return co_await query_end();
}

asio::awaitable<Result> Snapshot::run(const Query& query, std::vector<Parameter> parameters) {
  co_await send(std::format("/* {} */ {}", query.name, query.sql), std::move(parameters));
  co_return co_await query_end();
}

// Returns the statement's result after reading to its end, so that the next can be sent.
asio::awaitable<Result> Snapshot::query_end() {
  Result result = co_await next_result();
  while (true) {
    while (PQisBusy(session_) != 0) co_await wait_readable();
    if (PGresult* more = PQgetResult(session_); more != nullptr) {
      PQclear(more);
    } else {
      break;
    }
  }
  co_return result;
}

asio::awaitable<void> Snapshot::copy(std::string statement) {
  co_await send(std::move(statement));
  co_await next_result();
  copying_ = true;
}

asio::awaitable<std::int64_t> Snapshot::read_rows(std::string& block) {
  std::int64_t rows = 0;
  while (copying_ && block.size() < limits::kCopyBlock) {
    if (stopped_) lost();
    char* row = nullptr;
    int size = PQgetCopyData(session_, &row, /*async=*/1);
    if (size == 0) {  // libpq's buffer is empty: the socket may have more
      if (PQconsumeInput(session_) == 0) lost();
      size = PQgetCopyData(session_, &row, /*async=*/1);
    }
    if (size > 0) {
      block.append(row, static_cast<std::size_t>(size));
      PQfreemem(row);
      ++rows;
    } else if (size == 0) {
      co_await wait_readable();
    } else if (size == -1) {
      copying_ = false;
      co_await query_end();
    } else {
      lost();
    }
  }
  co_return rows;
}

asio::awaitable<void> Snapshot::send(std::string sql, std::vector<Parameter> parameters) {
  if (stopped_ || session_ == nullptr) lost();
  std::vector<const char*> values;
  values.reserve(parameters.size());
  for (const auto& value : parameters) values.push_back(value ? value->c_str() : nullptr);
  if (PQsendQueryParams(session_, sql.c_str(), static_cast<int>(values.size()), nullptr,
                        values.data(), nullptr, nullptr, /*resultFormat=*/0) == 0)
    lost();
  while (true) {
    const int left = PQflush(session_);
    if (left < 0) lost();
    if (left == 0) co_return;
    boost::system::error_code error;
    co_await socket_->async_wait(asio::posix::stream_descriptor::wait_write,
                                 asio::redirect_error(asio::use_awaitable, error));
    if (error || stopped_) lost();
  }
}

// Throws the server's error. After the last row of a COPY it reports whether the COPY succeeded.
asio::awaitable<Result> Snapshot::next_result() {
  while (PQisBusy(session_) != 0) co_await wait_readable();
  PGresult* raw = PQgetResult(session_);
  if (raw == nullptr) co_return Result{nullptr};
  Result result{raw};
  const ExecStatusType status = PQresultStatus(raw);
  if (status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE) {
    const char* state = PQresultErrorField(raw, PG_DIAG_SQLSTATE);
    if (state == nullptr || stopped_) lost();
    throw refusal(raw, "pg.snapshot");
  }
  co_return result;
}

asio::awaitable<void> Snapshot::wait_readable() {
  if (stopped_) lost();
  boost::system::error_code error;
  co_await socket_->async_wait(asio::posix::stream_descriptor::wait_read,
                               asio::redirect_error(asio::use_awaitable, error));
  if (error || stopped_ || PQconsumeInput(session_) == 0) lost();
}

std::string Snapshot::quote(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') quoted.push_back('\'');
    if (c != '\0') quoted.push_back(c);
  }
  return quoted + "'";
}

std::string Snapshot::quote(const std::vector<std::string>& texts) {
  std::string quoted = "ARRAY[";
  for (std::size_t i = 0; i < texts.size(); ++i) quoted += (i == 0 ? "" : ", ") + quote(texts[i]);
  return quoted + "]::text[]";
}

std::string Snapshot::quote_name(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted.push_back('"');
    if (c != '\0') quoted.push_back(c);
  }
  return quoted + "\"";
}

}  // namespace shopbell::pg
