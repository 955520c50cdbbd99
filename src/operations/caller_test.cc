#include "operations/caller.h"

#include <gtest/gtest.h>

namespace shopbell::operations {
namespace {

TEST(Caller, keys_and_users_need_the_scope) {
  for (const auto kind : {Caller::Kind::key, Caller::Kind::user}) {
    const Caller caller{.kind = kind, .account = 1, .scopes = {"contacts:read"}};
    EXPECT_TRUE(caller.may("contacts:read")) << name_of(kind);
    EXPECT_FALSE(caller.may("contacts:write")) << name_of(kind);
  }
}

TEST(Caller, work_that_was_accepted_earlier_needs_no_scope) {
  for (const auto kind : {Caller::Kind::command, Caller::Kind::import, Caller::Kind::queue,
                          Caller::Kind::engine, Caller::Kind::system})
    EXPECT_TRUE((Caller{.kind = kind, .account = 1}.may("contacts:write"))) << name_of(kind);
}

TEST(Caller, only_a_key_has_a_key_id) {
  EXPECT_TRUE((Caller{.kind = Caller::Kind::key}.key()));
  EXPECT_FALSE((Caller{.kind = Caller::Kind::command}.key()));
}

}  // namespace
}  // namespace shopbell::operations
