#include "app/service/chore.h"

#include <stdexcept>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace shopbell::app {
namespace {

using namespace std::chrono_literals;

// Runs a chore until it was called `rounds` times, or for a second.
std::string metrics_after(int rounds, const std::function<bool(int round)>& work) {
  boost::asio::io_context loop;
  observe::Metrics metrics;
  int called = 0;
  Chore chore{.name = "sweep",
              .round = [&]() -> boost::asio::awaitable<bool> {
                if (++called == rounds) loop.stop();
                co_return work(called);
              },
              .interval = 1ms,
              .pause = 1ms,
              .retry = 1ms};
  Rounds all;
  boost::asio::co_spawn(loop, repeat(std::move(chore), metrics, all), boost::asio::detached);
  loop.run_for(1s);
  EXPECT_EQ(called, rounds);
  return metrics.text();
}

TEST(Chore, continues_after_exceptions_of_any_type_and_counts_them) {
  const std::string text = metrics_after(4, [](int round) -> bool {
    if (round == 1) throw std::logic_error{"unexpected"};
    if (round == 2) throw 7;
    return true;
  });
  EXPECT_TRUE(text.contains(R"(shopbell_upkeep_failures_total{chore="sweep"} 2)")) << text;
}

TEST(Chore, an_unfinished_round_is_continued) {
  const std::string text = metrics_after(3, [](int round) { return round == 3; });
  EXPECT_TRUE(text.contains(R"(shopbell_upkeep_failures_total{chore="sweep"} 0)")) << text;
  EXPECT_TRUE(text.contains(R"(shopbell_upkeep_success_seconds{chore="sweep"} 1)")) << text;
}

TEST(Chore, rests_when_its_round_has_ended) {
  boost::asio::io_context loop;
  observe::Metrics metrics;
  Rounds rounds;
  int called = 0;
  bool rests = false;
  Chore chore{.name = "sweep",
              .round = [&]() -> boost::asio::awaitable<bool> {
                ++called;
                rounds.stop([&] { rests = true; });
                co_await runtime::sleep_for(1ms);
                EXPECT_FALSE(rests);
                co_return true;
              },
              .interval = 1ms,
              .pause = 1ms,
              .retry = 1ms};
  boost::asio::co_spawn(loop, repeat(std::move(chore), metrics, rounds), boost::asio::detached);
  loop.run_for(1s);
  EXPECT_TRUE(rests);
  EXPECT_EQ(called, 1);
  EXPECT_TRUE(loop.stopped());
}

}  // namespace
}  // namespace shopbell::app
