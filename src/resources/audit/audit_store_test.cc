#include "resources/audit/audit_store.h"

#include <gtest/gtest.h>

namespace shopbell::audit {
namespace {

using std::chrono::milliseconds;
using std::chrono::sys_time;

TEST(AuditStoreTest, the_first_id_of_a_millisecond_separates_earlier_from_later_ids) {
  const sys_time<milliseconds> time{milliseconds{1'794'998'400'123}};
  const Uuid first = first_id_of(time);
  EXPECT_LT(Uuid::v7(time - milliseconds{1}), first);
  EXPECT_LT(first, Uuid::v7(time));
  EXPECT_LT(Uuid::v7(time), first_id_of(time + milliseconds{1}));
}

TEST(AuditStoreTest, times_before_and_after_all_ids_are_bounds_too) {
  EXPECT_EQ(first_id_of(sys_time<milliseconds>{milliseconds{-1}}), Uuid{});
  EXPECT_EQ(first_id_of(sys_time<milliseconds>{milliseconds{1LL << 50}}).to_string(),
            "ffffffff-ffff-0000-0000-000000000000");
}

}  // namespace
}  // namespace shopbell::audit
