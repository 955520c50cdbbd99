#include "pg/script.h"

#include <gtest/gtest.h>

namespace shopbell::pg {
namespace {

TEST(Login, is_parsed_as_libpq_does) {
  const Login login = read_login("postgresql://a%20role:p%40ss@[::1]:5433/shop?sslmode=require");
  EXPECT_EQ(login.user, "a role");
  EXPECT_EQ(login.password, "p@ss");
  EXPECT_EQ(login.host, "::1");
  EXPECT_EQ(login.port, "5433");
  EXPECT_EQ(login.database, "shop");
}

TEST(Login, reads_a_socket_from_the_query_and_keyword_value_pairs) {
  EXPECT_EQ(read_login("postgresql://r:p@:5432/d?host=/run/pg").host, "/run/pg");
  EXPECT_EQ(read_login("host=h user=u").user, "u");
  EXPECT_EQ(read_login("host=h user=u").password, "");
}

TEST(Login, error_does_not_repeat_the_input) {
  try {
    read_login("postgresql://user:secret@h:5432/d?nonsense=1");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_FALSE(std::string_view{error.what()}.contains("secret")) << error.what();
  }
}

}  // namespace
}  // namespace shopbell::pg
