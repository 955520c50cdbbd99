#include "http/server/exception_problem.h"

#include "observe/log.h"
#include "pg/error.h"
#include "storage/storage.h"

namespace shopbell::http {

namespace {

// True if PostgreSQL answered with an error.
bool was_refused(const pg::Error& error) { return error.kind() == pg::Error::Kind::refused; }

Problem problem_of(const pg::Error& error) {
  if (error.is_timeout())
    return Problem{Code::timeout, "The database did not respond in time. Try again."}.with_header(
        "Retry-After", "1");
  if (error.is_outage()) {
    return Problem{Code::unavailable, was_refused(error) ? "The database is temporarily unable to "
                                                           "process the request. Try again."
                                                         : "The database is not reachable. Try "
                                                           "again."}
        .with_header("Retry-After", "1");
  }
  return Problem{Code::internal,
                 "An unexpected error occurred. The service's log has it under this request id."};
}

}  // namespace

Problem current_problem(const std::string& request_id) {
  const auto log_it = [&](std::string_view what, std::string_view sqlstate,
                          std::string_view query) {
    observe::log(
        observe::Level::error, "request failed",
        {{"requestId", request_id}, {"what", what}, {"sqlstate", sqlstate}, {"query", query}});
  };
  try {
    throw;
  } catch (const Problem& problem) {
    return problem;
  } catch (const pg::Error& error) {
    Problem problem = problem_of(error);
    // Lost connections are logged by the pool. A full or failing disk loses no connection, so it
    // must be logged here.
    const bool unfit = problem.code() == Code::unavailable && was_refused(error);
    if (problem.code() == Code::internal || unfit)
      log_it(error.what(), error.sqlstate(), error.query());
    return problem;
  } catch (const storage::Error& error) {  // disk full, no access, timeout: not the caller's fault
    log_it(error.what(), "", "");
    return Problem{Code::unavailable,
                   "The file storage is temporarily unavailable. Try "
                   "again."}
        .with_header("Retry-After", "5");
  } catch (const std::exception& error) {
    log_it(error.what(), "", "");
  } catch (...) {
    log_it("exception of an unknown type", "", "");
  }
  return Problem{Code::internal,
                 "An unexpected error occurred. The service's log has it under this request id."};
}

}  // namespace shopbell::http
