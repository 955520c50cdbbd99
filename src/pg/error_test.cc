#include "pg/error.h"

#include <gtest/gtest.h>

namespace shopbell::pg {
namespace {

Error refused(const std::string& sqlstate) { return Error{"because", sqlstate, "", "test.query"}; }

TEST(Error, a_server_that_is_down_or_full_is_an_outage) {
  for (const std::string state :
       {"53000", "53100", "53200", "53300", "57P01", "57P02", "57P03", "58030", "08006"}) {
    EXPECT_TRUE(refused(state).is_outage()) << state;
    EXPECT_FALSE(refused(state).is_overtaken()) << state;
    EXPECT_FALSE(refused(state).is_timeout()) << state;
  }
  EXPECT_TRUE((Error{Error::Kind::lost, "cut off"}.is_outage()));
  EXPECT_TRUE((Error{Error::Kind::unavailable, "no connection"}.is_outage()));
}

TEST(Error, a_statement_error_is_not_an_outage) {
  for (const std::string state : {"23505", "42601", "40001", "55P03", "57014", "58P01", "SB001"})
    EXPECT_FALSE(refused(state).is_outage()) << state;
  EXPECT_FALSE((Error{Error::Kind::timeout, "too late"}.is_outage()));
}

}  // namespace
}  // namespace shopbell::pg
