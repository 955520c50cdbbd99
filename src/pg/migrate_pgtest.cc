#include <gtest/gtest.h>

#include "pg/migrate.h"
#include "testing/database.h"

namespace shopbell::pg {
namespace {

class MigrateTest : public ::testing::Test {
 protected:
  MigrateTest() { owner_.run("DROP TABLE schema_migration"); }

  int apply(std::vector<Migration> migrations) {
    return migrate(owner_, migrations, [](std::string_view) {});
  }
  bool exists(const std::string& table) {
    const std::array<std::string, 1> name{table};
    return owner_.query("SELECT 1 WHERE to_regclass($1) IS NOT NULL", name).size() == 1;
  }

  shopbell::testing::TestDatabase database_;
  Script owner_{database_.owner_url()};
};

constexpr Migration kOne{"0001_one", "CREATE TABLE one (n int)"};
constexpr Migration kTwo{"0002_two", "CREATE TABLE two (n int)"};

TEST_F(MigrateTest, applies_what_is_missing_once) {
  EXPECT_EQ(apply({kOne}), 1);
  EXPECT_EQ(apply({kOne, kTwo}), 1);
  EXPECT_EQ(apply({kOne, kTwo}), 0);
  EXPECT_TRUE(exists("two"));
}

TEST_F(MigrateTest, a_failing_one_leaves_nothing) {
  EXPECT_THROW(apply({{"0001_bad", "CREATE TABLE half (n int); SELECT 1/0"}}), Error);
  Script again{database_.owner_url()};
  EXPECT_EQ(again.query("SELECT 1 FROM schema_migration").size(), 0U);
  EXPECT_FALSE(exists("half"));
}

TEST_F(MigrateTest, refuses_another_history) {
  apply({kOne, kTwo});
  EXPECT_THROW(apply({kOne}), std::runtime_error);  // a newer database
  EXPECT_THROW(apply({{"0001_one", "CREATE TABLE other (n int)"}, kTwo}),
               std::runtime_error);  // an edited file
}

TEST_F(MigrateTest, steps_of_an_online_one_run_alone) {
  EXPECT_EQ(apply({kOne,
                   {"0002_index",
                    "-- online\nDROP INDEX CONCURRENTLY IF EXISTS one_n\n-- step\nCREATE INDEX "
                    "CONCURRENTLY one_n ON one (n)"}}),
            2);
  EXPECT_TRUE(exists("one_n"));
}

}  // namespace
}  // namespace shopbell::pg
