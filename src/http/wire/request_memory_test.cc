#include "http/wire/request_memory.h"

#include <gtest/gtest.h>

namespace shopbell::http {
namespace {

using Hold = RequestMemory::Hold;

TEST(RequestMemory, has_a_limit_for_the_process_and_a_share_for_each_account) {
  observe::Metrics metrics;
  RequestMemory memory{metrics, 100, 40};
  Hold first{&memory, 1};
  EXPECT_TRUE(first.grow(40));
  EXPECT_FALSE(first.grow(1)) << "beyond its share";
  Hold same_account{&memory, 1};
  EXPECT_FALSE(same_account.grow(1));
  Hold second{&memory, 2};
  Hold third{&memory, 3};
  EXPECT_TRUE(second.grow(40));
  EXPECT_TRUE(third.grow(20));
  EXPECT_FALSE(third.grow(1)) << "beyond the process's limit";
  EXPECT_TRUE(metrics.text().contains("shopbell_request_memory_bytes 100"));
  EXPECT_TRUE(metrics.text().contains("shopbell_request_memory_refused_total 3"));
}

TEST(RequestMemory, is_released_at_the_end_of_a_hold) {
  observe::Metrics metrics;
  RequestMemory memory{metrics, 100, 100};
  {
    Hold hold{&memory, 1};
    EXPECT_TRUE(hold.grow(100));
    Hold moved = std::move(hold);
    EXPECT_FALSE(moved.grow(1));
    Hold another{&memory, 2};
    another = std::move(moved);
    EXPECT_FALSE(another.grow(1));
  }
  Hold next{&memory, 2};
  EXPECT_TRUE(next.grow(100));
  next.release();
  EXPECT_TRUE(metrics.text().contains("shopbell_request_memory_bytes 0"));
}

TEST(RequestMemory, counts_responses_beyond_the_limit_and_then_has_no_room) {
  observe::Metrics metrics;
  RequestMemory memory{metrics, 100, 40};
  Hold response{&memory, 1};
  EXPECT_TRUE(memory.has_room(1));
  response.add(41);
  EXPECT_FALSE(memory.has_room(1));
  EXPECT_TRUE(memory.has_room(2));
  Hold other{&memory, 2};
  other.add(60);
  EXPECT_FALSE(memory.has_room(3)) << "beyond the process's limit";
}

TEST(RequestMemory, is_unlimited_without_a_budget) {
  Hold hold;
  EXPECT_TRUE(hold.grow(std::size_t{1} << 40));
  hold.add(1);
}

}  // namespace
}  // namespace shopbell::http
