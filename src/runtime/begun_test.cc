#include "runtime/begun.h"

#include <stdexcept>

#include <boost/asio/this_coro.hpp>
#include <gtest/gtest.h>

namespace shopbell::runtime {
namespace {

using namespace std::chrono_literals;

asio::awaitable<void> note(std::string& log, std::string text, Steady::duration after) {
  co_await sleep_for(after);
  log += text;
}

asio::awaitable<void> fail() {
  co_await sleep_for(1ms);
  throw std::runtime_error{"broken"};
}

TEST(Begun, RunsConcurrentlyWithItsStarter) {
  asio::io_context loop;
  std::string log;
  run_to_end(loop, [](std::string& text) -> asio::awaitable<void> {
    Begun slow{co_await asio::this_coro::executor, note(text, "slow ", 20ms)};
    co_await note(text, "quick ", 1ms);
    co_await slow.end();
    text += "end";
  }(log));
  EXPECT_EQ(log, "quick slow end");
}

TEST(Begun, EndReturnsWhenTheWorkFinishedEarlier) {
  asio::io_context loop;
  std::string log;
  run_to_end(loop, [](std::string& text) -> asio::awaitable<void> {
    Begun quick{co_await asio::this_coro::executor, note(text, "quick ", 1ms)};
    co_await note(text, "slow ", 20ms);
    co_await quick.end();
    text += "end";
  }(log));
  EXPECT_EQ(log, "quick slow end");
}

TEST(Begun, EndRethrowsAnExceptionOfTheWork) {
  asio::io_context loop;
  EXPECT_THROW(run_to_end(loop,
                          []() -> asio::awaitable<void> {
                            Begun broken{co_await asio::this_coro::executor, fail()};
                            co_await broken.end();
                          }()),
               std::runtime_error);
}

}  // namespace
}  // namespace shopbell::runtime
