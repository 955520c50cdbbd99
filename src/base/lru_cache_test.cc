#include "base/lru_cache.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace shopbell {
namespace {

using Cache = LruCache<int, std::string>;

// The bytes of one entry that holds `bytes` outside of itself.
std::size_t entry_bytes(std::size_t bytes) {
  Cache cache{10'000};
  cache.put(1, "one", bytes);
  return cache.bytes();
}

std::optional<std::string> read(Cache& cache, int key) {
  const std::string* found = cache.find(key);
  return found ? std::optional{*found} : std::nullopt;
}

TEST(LruCache, evicts_the_entry_that_was_not_used_for_the_longest_time) {
  Cache cache{3 * entry_bytes(100)};
  cache.put(1, "one", 100);
  cache.put(2, "two", 100);
  cache.put(3, "three", 100);
  EXPECT_EQ(read(cache, 1), "one");
  cache.put(4, "four", 100);
  EXPECT_EQ(read(cache, 2), std::nullopt);
  EXPECT_EQ(read(cache, 1), "one");
  EXPECT_EQ(read(cache, 3), "three");
  EXPECT_EQ(read(cache, 4), "four");
}

TEST(LruCache, a_full_cache_keeps_most_of_its_entries) {
  Cache cache{100 * entry_bytes(50)};
  for (int key = 0; key < 1000; ++key) {
    cache.put(key, std::to_string(key), 50);
    EXPECT_EQ(cache.size(), std::min<std::size_t>(key + 1, 100));
  }
}

TEST(LruCache, is_bounded_by_bytes) {
  Cache cache{10 * entry_bytes(100)};
  for (int key = 0; key < 10; ++key) cache.put(key, "small", 100);
  cache.put(10, "large", 5 * entry_bytes(100) - entry_bytes(0));
  EXPECT_EQ(cache.size(), 6U);
  EXPECT_EQ(cache.bytes(), 10 * entry_bytes(100));
  EXPECT_EQ(read(cache, 4), std::nullopt);
  EXPECT_EQ(read(cache, 5), "small");
  cache.put(11, "too large", 10 * entry_bytes(100));
  EXPECT_EQ(read(cache, 11), std::nullopt);
  EXPECT_EQ(cache.size(), 6U);
}

TEST(LruCache, a_replaced_entry_counts_once) {
  Cache cache{1000};
  cache.put(1, "before", 200);
  cache.put(1, "after", 10);
  EXPECT_EQ(read(cache, 1), "after");
  EXPECT_EQ(cache.size(), 1U);
  EXPECT_EQ(cache.bytes(), entry_bytes(10));
  cache.erase(1);
  cache.erase(1);
  EXPECT_EQ(cache.bytes(), 0U);
}

}  // namespace
}  // namespace shopbell
