#include "pg/script.h"

#include <gtest/gtest.h>

namespace shopbell::pg {
namespace {

TEST(Login, is_read_as_libpq_reads_it) {
  const Login login = read_login("postgresql://a%20role:p%40ss@[::1]:5433/shop?sslmode=require");
  EXPECT_EQ(login.user, "a role");
  EXPECT_EQ(login.password, "p@ss");
  EXPECT_EQ(login.host, "::1");
  EXPECT_EQ(login.port, "5433");
  EXPECT_EQ(login.database, "shop");
}

TEST(Login, takes_a_socket_from_the_query_and_words_without_a_scheme) {
  EXPECT_EQ(read_login("postgresql://r:p@:5432/d?host=/run/pg").host, "/run/pg");
  EXPECT_EQ(read_login("host=h user=u").user, "u");
  EXPECT_EQ(read_login("host=h user=u").password, "");
}

TEST(Login, never_repeats_what_it_cannot_read) {
  try {
    read_login("postgresql://user:secret@h:5432/d?nonsense=1");
    FAIL() << "taken";
  } catch (const Error& error) {
    EXPECT_FALSE(std::string_view{error.what()}.contains("secret")) << error.what();
  }
}

}  // namespace
}  // namespace shopbell::pg
