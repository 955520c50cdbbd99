#include "rates/usage_ledger.h"

#include <cstdio>
#include <map>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

namespace shopbell::rates {
namespace {

using namespace std::chrono_literals;
using Seconds = std::chrono::duration<double>;

constexpr Rate kUsualRate;
constexpr Bucket kBucket{.account = 7};
constexpr auto kLength = 60s;

// The table through which processes exchange their use.
class Table {
 public:
  void put(ReportedUse reported, Instant now) {
    reported.at = now;
    rows_[reported.process] = reported;
  }

  std::vector<ReportedUse> others(const Uuid& process, Instant now) const {
    std::vector<ReportedUse> rows;
    for (auto [owner, row] : rows_) {
      if (owner == process || now - row.at > 60s) continue;
      row.age = std::chrono::duration_cast<std::chrono::milliseconds>(now - row.at);
      rows.push_back(row);
    }
    return rows;
  }

 private:
  std::map<Uuid, ReportedUse> rows_;
};

struct Process {
  observe::Metrics metrics;
  RateLimits limits{metrics};
  UsageLedger ledger;
  Uuid id;
  std::vector<int> granted = std::vector<int>(static_cast<std::size_t>(kLength.count()));
  int refused = 0;

  Process() : Process{Uuid::v7(system_clock().now())} {}
  explicit Process(Uuid process) : ledger{limits, process}, id{process} {}

  void exchange(Table& table, Steady::time_point now) {
    const Instant instant{
        std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch())};
    const auto round = ledger.start(now);
    for (const auto& reported : round.tell) table.put(reported, instant);
    ledger.finish(round, table.others(id, instant), now);
  }

  int sum(std::size_t first, std::size_t last) const {
    return std::accumulate(granted.begin() + static_cast<std::ptrdiff_t>(first),
                           granted.begin() + static_cast<std::ptrdiff_t>(last), 0);
  }
};

// Requests of `per_second` to one process, from one second to another.
struct Load {
  std::size_t process;
  double per_second;
  double from = 0;
  double until = 60;
};

struct Outage {  // a database outage: no exchange
  double from = 1000;
  double until = 1000;
};

// A simulated minute: requests are evenly spread; each process exchanges once a second, slightly
// late, at its own moment.
class Minute {
 public:
  Minute(std::size_t count, std::vector<Load> loads, Outage outage = {})
      : processes_(count), outage_{outage} {
    std::mt19937 random{1};
    std::uniform_real_distribution<double> any{0, 1};
    for (std::size_t i = 0; i < count; ++i) {
      for (double at = any(random); at < kLength.count(); at += 1 + 0.02 * any(random))
        events_.emplace(at, Event{i, true});
    }
    for (const auto& load : loads) {
      const double gap = 1 / load.per_second;
      for (double at = load.from + gap * any(random); at < load.until; at += gap)
        events_.emplace(at, Event{load.process, false});
    }
    for (const auto& [at, event] : events_) happen(at, event);
  }

  int total() const { return sum(0, granted_seconds()); }
  int sum(std::size_t first, std::size_t last) const {
    int all = 0;
    for (const auto& process : processes_) all += process.sum(first, last);
    return all;
  }
  int refused() const {
    int all = 0;
    for (const auto& process : processes_) all += process.refused;
    return all;
  }

  // Prints what was granted, and returns the relative difference to a single bucket.
  double error(const char* name) const {
    const double expected =
        static_cast<double>(kUsualRate.per_second * kLength.count() + kUsualRate.burst);
    const double error = total() / expected - 1;
    std::printf("%-34s granted %d, one bucket %.0f: %+.1f %%; last 20 s each:", name, total(),
                expected, error * 100);
    for (const auto& process : processes_) std::printf(" %.1f/s", process.sum(40, 60) / 20.0);
    std::printf("\n");
    return error;
  }

  // Requests granted per second during the last 20 s.
  double steady(std::size_t process) const { return processes_[process].sum(40, 60) / 20.0; }

 private:
  struct Event {
    std::size_t process;
    bool exchange;
  };

  static std::size_t granted_seconds() { return static_cast<std::size_t>(kLength.count()); }

  void happen(double at, const Event& event) {
    const Steady::time_point now{std::chrono::duration_cast<Steady::duration>(Seconds{1000 + at})};
    Process& process = processes_[event.process];
    if (event.exchange) {
      if (at > outage_.from && at < outage_.until) {
        process.ledger.start(now);  // this round gets no answer
      } else {
        process.exchange(table_, now);
      }
    } else if (process.limits.take(kBucket, kUsualRate, now).granted) {
      ++process.granted[static_cast<std::size_t>(at)];
    } else {
      ++process.refused;
    }
  }

  std::vector<Process> processes_;
  Outage outage_;
  Table table_;
  std::multimap<double, Event> events_;
};

TEST(UsageExchange, one_process_grants_the_rate_and_the_burst) {
  const Minute minute{1, {{0, 300}}};
  EXPECT_NEAR(minute.error("1 process"), 0, 0.001);
}

TEST(UsageExchange, under_equal_overload_processes_grant_what_one_bucket_would) {
  for (const std::size_t count : {2U, 4U, 8U}) {
    std::vector<Load> loads;
    for (std::size_t i = 0; i < count; ++i) loads.push_back({i, 200});
    const Minute minute{count, loads};
    EXPECT_NEAR(minute.error(std::format("{} processes, equal overload", count).c_str()), 0, 0.1);
    EXPECT_NEAR(minute.sum(40, 60) / 20.0, 100, 3);
    for (std::size_t i = 0; i < count; ++i)
      EXPECT_NEAR(minute.steady(i), 100.0 / static_cast<double>(count), 5) << i;
  }
}

TEST(UsageExchange, under_uneven_overload_processes_grant_what_one_bucket_would) {
  const Minute two{2, {{0, 500}, {1, 20}}};
  EXPECT_NEAR(two.error("2 processes, 500/s and 20/s"), 0, 0.1);
  EXPECT_NEAR(two.steady(1), 20, 1);  // a process that wants little gets all it wants
  const Minute four{4, {{0, 500}, {1, 100}, {2, 50}, {3, 20}}};
  EXPECT_NEAR(four.error("4 processes, 500, 100, 50, 20/s"), 0, 0.1);
  EXPECT_NEAR(four.steady(3), 20, 1);
  EXPECT_NEAR(four.sum(40, 60) / 20.0, 100, 3);
  const Minute one_loud{4, {{0, 1000}, {1, 5}, {2, 5}, {3, 5}}};
  EXPECT_NEAR(one_loud.error("4 processes, 1000/s and 3 x 5/s"), 0, 0.1);
  EXPECT_NEAR(one_loud.steady(0), 85, 3);
}

// A process that joins starts with a full bucket; the views converge, and no process starves.
TEST(UsageExchange, processes_that_join_later_get_the_same_share) {
  const Minute minute{4, {{0, 200, 0}, {1, 200, 7.3}, {2, 200, 14.6}, {3, 200, 21.9}}};
  EXPECT_NEAR(minute.error("4 processes, one after the other"), 0, 0.1);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(minute.steady(i), 25, 4) << i;
}

TEST(UsageExchange, a_caller_that_switches_processes_gains_nothing) {
  std::vector<Load> loads;
  for (int at = 0; at < 60; at += 3)
    loads.push_back({static_cast<std::size_t>(at / 3 % 3), 300, at * 1.0, at + 3.0});
  const Minute minute{3, loads};
  EXPECT_NEAR(minute.error("3 processes, a switching caller"), 0, 0.1);
}

TEST(UsageExchange, below_the_rate_no_request_is_refused) {
  const Minute minute{3, {{0, 30}, {1, 30}, {2, 30}}};
  EXPECT_EQ(minute.refused(), 0);
  const Minute lopsided{3, {{0, 90}, {1, 3}, {2, 3}}};
  EXPECT_EQ(lopsided.refused(), 0);
}

TEST(UsageExchange, limits_continue_during_a_database_outage) {
  const Minute minute{2, {{0, 200}, {1, 200}}, {.from = 20, .until = 50}};
  EXPECT_NEAR(minute.error("2 processes, 30 s of outage"), 0, 0.1);
  EXPECT_NEAR(minute.sum(52, 60) / 8.0, 100, 10);
}

TEST(UsageLedger, reports_only_changes_and_repeats_lost_reports) {
  Process process;
  Steady::time_point now{1000s};
  EXPECT_TRUE(process.ledger.start(now).tell.empty());
  process.limits.take(kBucket, kUsualRate, now);
  const auto lost = process.ledger.start(now + 1s);
  ASSERT_EQ(lost.tell.size(), 1U);
  process.limits.take(kBucket, kUsualRate, now + 1s);
  const auto round = process.ledger.start(now + 2s);
  ASSERT_EQ(round.tell.size(), 1U);
  EXPECT_EQ(round.tell[0].used - round.tell[0].used_before, 2);
  process.ledger.finish(round, {}, now + 2s);
  EXPECT_TRUE(process.ledger.start(now + 3s).tell.empty());
  EXPECT_EQ(process.ledger.start(now + 3s).ask, std::vector{kBucket});
}

// A process that evicted and recreated its bucket continues above the old sum.
TEST(UsageLedger, a_recreated_bucket_is_counted_once) {
  Process one;
  Process other;
  Table table;
  Steady::time_point now{1000s};
  const auto use = [&](Process& process, int times) {
    for (int i = 0; i < times; ++i) process.limits.take(kBucket, kUsualRate, now);
    process.exchange(table, now);
  };
  const auto left = [&] { return other.limits.use(now).front().left; };
  use(one, 100);
  now += 12s;
  one.exchange(table, now);  // evicts the bucket, which is full and idle
  use(other, 1);
  use(one, 30);
  other.exchange(table, now);
  EXPECT_NEAR(left(), 200 - 1 - 30, 5);
  now += 1s;
  use(one, 150);
  other.exchange(table, now);
  EXPECT_NEAR(left(), 200 - 1 - 30 + 100 - 150, 15);
}

TEST(UsageLedger, reports_the_most_used_first_if_there_are_too_many) {
  Process process;
  const Steady::time_point now{1000s};
  for (std::int64_t account = 1; account <= 8'000; ++account) {
    process.limits.take({.account = account}, kUsualRate, now);
    if (account % 1000 == 0) process.limits.take({.account = account}, kUsualRate, now);
  }
  const auto round = process.ledger.start(now);
  EXPECT_EQ(round.tell.size(), 5'000U);
  EXPECT_EQ(std::ranges::count_if(
                round.tell,
                [](const ReportedUse& reported) { return reported.bucket.account % 1000 == 0; }),
            8);
  process.ledger.finish(round, {}, now);
  EXPECT_EQ(process.ledger.start(now).tell.size(), 3'000U);
}

}  // namespace
}  // namespace shopbell::rates
