#include <format>
#include <fstream>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/limits.h"
#include "pg/script.h"
#include "pg/snapshot.h"
#include "runtime/wait.h"
#include "testing/database.h"

namespace shopbell::pg {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
constexpr bool kSanitizerKeepsFreedMemory = true;  // freed memory stays in a quarantine
#else
constexpr bool kSanitizerKeepsFreedMemory = false;
#endif

std::size_t memory_pages() {
  std::ifstream statm{"/proc/self/statm"};
  std::size_t size = 0;
  std::size_t resident = 0;
  statm >> size >> resident;
  return resident;
}

class SnapshotTest : public ::testing::Test {
 protected:
  SnapshotTest() {
    admin_.run(
        "INSERT INTO account (account_id, id, name, time_zone, currency, locale) VALUES "
        "(1, gen_random_uuid(), 'one', 'UTC', 'EUR', 'en'), (2, gen_random_uuid(), 'two', 'UTC', "
        "'EUR', 'en')");
  }

  template <class T>
  T run(asio::awaitable<T> work) {
    return runtime::run_to_end(database_.loop, std::move(work));
  }
  void open(Snapshot& snapshot, std::int64_t account) {
    run(snapshot.open(database_.reader_url(), account));
  }

  struct Copied {
    std::int64_t rows = 0;
    std::string first;
  };
  Copied copy(Snapshot& snapshot, const std::string& statement) {
    run(snapshot.copy(statement));
    Copied copied;
    while (true) {
      std::string block;
      const std::int64_t rows = run(snapshot.read_rows(block));
      if (rows == 0) return copied;
      if (copied.rows == 0) copied.first = block;
      EXPECT_LT(block.size(), limits::kCopyBlock + 4096);
      copied.rows += rows;
    }
  }

  shopbell::testing::TestDatabase database_;
  Script admin_{database_.admin_url()};
};

TEST_F(SnapshotTest, a_copy_shows_the_account_as_of_the_snapshot) {
  Snapshot snapshot{database_.loop};
  open(snapshot, 1);
  EXPECT_EQ(copy(snapshot, "COPY (SELECT name FROM account) TO STDOUT").first, "one\n");
  admin_.run("UPDATE account SET name = 'changed' WHERE account_id = 1");
  EXPECT_EQ(copy(snapshot, "COPY (SELECT name FROM account) TO STDOUT").first, "one\n");
  EXPECT_EQ(run(snapshot.query("SELECT current_user AS who"))[0].text("who"), "shopbell_reader");
  Snapshot other{database_.loop};
  open(other, 2);
  EXPECT_EQ(copy(other, "COPY (SELECT name FROM account) TO STDOUT").first, "two\n");
}

TEST_F(SnapshotTest, named_queries_have_parameters) {
  Snapshot snapshot{database_.loop};
  open(snapshot, 1);
  const Query query{.name = "pg.snapshot_test",
                    .timeout = limits::kQueryTimeout,
                    .sql =
                        "SELECT name, $2 AS text, $3::bigint AS nothing FROM account WHERE "
                        "account_id = $1::bigint"};
  const Result found = run(snapshot.query(query, 1, "it's", std::nullopt));
  EXPECT_EQ(found[0].text("name"), "one");
  EXPECT_EQ(found[0].text("text"), "it's");
  EXPECT_FALSE(found[0].find("nothing").has_value());
}

TEST_F(SnapshotTest, server_errors_are_reported_even_after_many_rows) {
  Snapshot snapshot{database_.loop};
  open(snapshot, 1);
  const auto state_of = [&](const std::string& statement) -> std::string {
    try {
      copy(snapshot, statement);
    } catch (const Error& error) {
      return error.sqlstate();
    }
    return "none";
  };
  EXPECT_EQ(state_of("COPY (SELECT 1 / (300000 - n) FROM generate_series(1, 300001) n) TO STDOUT"),
            "22012");
  Snapshot another{database_.loop};
  open(another, 1);
  EXPECT_THROW(run(another.query("INSERT INTO account DEFAULT VALUES")), Error);
}

TEST_F(SnapshotTest, a_million_rows_use_bounded_memory) {
  Snapshot snapshot{database_.loop};
  open(snapshot, 1);
  copy(snapshot, "COPY (SELECT n, repeat('x', 200) FROM generate_series(1, 20000) n) TO STDOUT");
  const std::size_t before = memory_pages();
  EXPECT_EQ(copy(snapshot,
                 "COPY (SELECT n, repeat('x', 200) FROM generate_series(1, 1000000) n) TO STDOUT")
                .rows,
            1'000'000);
  if (!kSanitizerKeepsFreedMemory) {
    EXPECT_LT(memory_pages(), before + (16U << 20) / 4096);
  }
}

TEST_F(SnapshotTest, a_backend_killed_during_a_copy_is_an_outage) {
  Snapshot snapshot{database_.loop};
  open(snapshot, 1);
  const auto backend = run(snapshot.query("SELECT pg_backend_pid() AS id"))[0].text("id");
  run(snapshot.copy(
      "COPY (SELECT n, repeat('x', 1000) FROM generate_series(1, 1000000) n) TO STDOUT"));
  std::string block;
  EXPECT_GT(run(snapshot.read_rows(block)), 0);
  admin_.run(std::format("SELECT pg_terminate_backend({})", backend));
  try {
    while (true) {
      std::string more;
      if (run(snapshot.read_rows(more)) == 0) break;
    }
    FAIL() << "the copy ended as if it were complete";
  } catch (const Error& error) {
    EXPECT_TRUE(error.is_outage()) << error.what();
  }
}

TEST_F(SnapshotTest, cancelling_ends_the_wait_and_the_statement) {
  auto snapshot = std::make_unique<Snapshot>(database_.loop);
  open(*snapshot, 1);
  const auto backend = run(snapshot->query("SELECT pg_backend_pid() AS id"))[0].text("id");
  asio::steady_timer timer{database_.loop, 100ms};
  timer.async_wait([&](boost::system::error_code) { snapshot->cancel(); });
  const auto began = runtime::Steady::now();
  EXPECT_THROW(run(snapshot->query("SELECT pg_sleep(20)")), Error);
  EXPECT_LT(runtime::Steady::now() - began, 1s);
  snapshot.reset();
  const auto still = [&] {
    return !admin_.query(std::format("SELECT FROM pg_stat_activity WHERE pid = {}", backend))
                .empty();
  };
  for (int i = 0; i < 40 && still(); ++i) ::usleep(50'000);
  EXPECT_FALSE(still());
}

TEST(SnapshotQuote, escapes_values) {
  EXPECT_EQ(Snapshot::quote("it's \\ 1"), "'it''s \\ 1'");
  EXPECT_EQ(Snapshot::quote(std::vector<std::string>{"a", "b'"}), "ARRAY['a', 'b''']::text[]");
  EXPECT_EQ(Snapshot::quote(std::vector<std::string>{}), "ARRAY[]::text[]");
  EXPECT_EQ(Snapshot::quote_name("a\"b"), "\"a\"\"b\"");
}

}  // namespace
}  // namespace shopbell::pg
