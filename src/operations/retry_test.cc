#include "operations/retry.h"

#include <vector>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "runtime/wait.h"

namespace shopbell::operations {
namespace {

struct OldVersion {
  int version;
};

// Records what each attempt got; the first `stale` attempts throw.
struct Attempts {
  int stale = 0;
  std::vector<int> got;

  boost::asio::awaitable<int> run(std::optional<OldVersion> last) {
    got.push_back(last ? last->version : 0);
    const int number = static_cast<int>(got.size());
    if (number <= stale) throw OldVersion{number};
    co_return number;
  }

  int repeat() {
    boost::asio::io_context loop;
    const auto attempt = [this](const std::optional<OldVersion>& last) { return run(last); };
    return runtime::run_to_end(loop, while_stale<OldVersion>(attempt, "It keeps changing."));
  }
};

TEST(WhileStale, gives_each_attempt_what_the_last_one_threw) {
  Attempts fresh;
  EXPECT_EQ(fresh.repeat(), 1);
  Attempts attempts{.stale = 2, .got = {}};
  EXPECT_EQ(attempts.repeat(), 3);
  EXPECT_EQ(attempts.got, (std::vector{0, 1, 2}));
}

TEST(WhileStale, refuses_after_the_last_attempt) {
  Attempts attempts{.stale = limits::kWriteAttempts, .got = {}};
  try {
    attempts.repeat();
    FAIL() << "nothing was refused";
  } catch (const Problem& problem) {
    EXPECT_EQ(problem.code(), Code::unavailable);
    EXPECT_EQ(problem.detail(), "It keeps changing.");
  }
  EXPECT_EQ(attempts.got.size(), static_cast<std::size_t>(limits::kWriteAttempts));
}

TEST(WhileStale, lets_other_exceptions_through) {
  boost::asio::io_context loop;
  int calls = 0;
  const auto attempt = [&](const std::optional<OldVersion>&) -> boost::asio::awaitable<int> {
    ++calls;
    throw Problem{Code::not_found, "Gone."};
  };
  EXPECT_THROW(runtime::run_to_end(loop, while_stale<OldVersion>(attempt, "")), Problem);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace shopbell::operations
