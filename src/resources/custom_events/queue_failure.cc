#include "resources/custom_events/queue_failure.h"

#include <exception>
#include <utility>

#include "base/problem.h"
#include "kafka/error.h"

namespace shopbell::custom_events {

namespace {

QueueFailure failure_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const pg::Error& error) {
    return {.why = error.what(), .fenced = is_fenced(error)};
  } catch (const Problem& problem) {
    return {.why = problem.detail()};
  } catch (const kafka::Error& error) {
    return {.why = error.what()};
  } catch (const std::exception& error) {
    return {.why = error.what(), .unexpected = true};
  } catch (...) {
    return {.why = "unknown exception", .unexpected = true};
  }
}

}  // namespace

bool is_fenced(const pg::Error& error) { return error.sqlstate() == "SB003"; }

boost::asio::awaitable<std::optional<QueueFailure>> attempt(boost::asio::awaitable<void> work) {
  try {
    co_await std::move(work);
    co_return std::nullopt;
  } catch (...) {
    co_return failure_of(std::current_exception());
  }
}

}  // namespace shopbell::custom_events
