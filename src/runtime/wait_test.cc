#include "runtime/wait.h"

#include <gtest/gtest.h>

#include "runtime/loops.h"

namespace shopbell::runtime {
namespace {

using namespace std::chrono_literals;

asio::awaitable<int> answer(int value) {
  co_await sleep_for(1ms);
  if (value < 0) throw std::runtime_error{"negative"};
  co_return value;
}

TEST(RunToEnd, returns_the_result_or_rethrows) {
  asio::io_context context;
  EXPECT_EQ(run_to_end(context, answer(7)), 7);
  EXPECT_THROW(run_to_end(context, answer(-1)), std::runtime_error);
  EXPECT_EQ(run_to_end(context, answer(8)), 8);
}

asio::awaitable<int> count_rings(Bell& bell, int rings) {
  int counted = 0;
  while (counted < rings && co_await bell.wait_for(5s)) ++counted;
  co_return counted;
}

TEST(Bell, stores_one_ring_until_the_next_wait) {
  asio::io_context context;
  Bell bell{context.get_executor()};
  bell.ring();
  EXPECT_EQ(run_to_end(context, count_rings(bell, 1)), 1);
  EXPECT_FALSE(run_to_end(context, bell.wait_for(1ms)));
}

TEST(Loops, run_on_their_own_threads_until_stopped) {
  Loops loops{3};
  std::atomic<int> arrived = 0;
  std::vector<std::thread::id> threads(loops.size());
  for (std::size_t i = 0; i < loops.size(); ++i) {
    asio::post(loops[i], [&, i] {
      threads[i] = std::this_thread::get_id();
      if (++arrived == 3) loops.stop();
    });
  }
  loops.run();
  EXPECT_NE(threads[0], threads[1]);
  EXPECT_NE(threads[1], threads[2]);
}

}  // namespace
}  // namespace shopbell::runtime
