#include "http/server/router.h"

#include <gtest/gtest.h>

namespace shopbell::http {
namespace {

Route route(Method method, std::string path) {
  return {{method, std::move(path), operations::Access::anybody(), nullptr, {}}, {}};
}

Router contacts() {
  std::vector<Route> routes;
  routes.push_back(route(Method::get, "/contacts/{email}"));
  routes.push_back(route(Method::patch, "/contacts/{email}"));
  routes.push_back(route(Method::get, "/contacts/email/{email}"));
  routes.push_back(route(Method::get, "/exports/{id}"));
  routes.push_back(route(Method::post, "/exports/"));
  routes.push_back(route(Method::post, "/exports/type/data-explorer"));
  routes.push_back(route(Method::get, "/integrations/{id}/types/{typeId}"));
  return Router{std::move(routes)};
}

TEST(Router, finds_routes_and_their_parameters) {
  const Router router = contacts();
  const auto match = router.find(Method::get, "/integrations/a%2Fb/types/7");
  ASSERT_TRUE(match && match->route);
  EXPECT_EQ(match->parameters,
            (std::vector<std::pair<std::string, std::string>>{{"id", "a/b"}, {"typeId", "7"}}));
}

TEST(Router, a_literal_beats_a_parameter) {
  const Router router = contacts();
  EXPECT_EQ(router.find(Method::get, "/contacts/email/x")->route->path(),
            "/contacts/email/{email}");
  EXPECT_EQ(router.find(Method::get, "/contacts/email")->route->path(), "/contacts/{email}");
  EXPECT_EQ(router.find(Method::post, "/exports/type/data-explorer")->route->path(),
            "/exports/type/data-explorer");
}

TEST(Router, distinguishes_an_unknown_path_from_a_wrong_method) {
  const Router router = contacts();
  EXPECT_FALSE(router.find(Method::get, "/nothing"));
  EXPECT_FALSE(router.find(Method::get, "/Contacts/x"));
  const auto match = router.find(Method::delete_, "/contacts/x");
  ASSERT_TRUE(match);
  EXPECT_EQ(match->route, nullptr);
  EXPECT_EQ(match->allowed, "GET, HEAD, PATCH, OPTIONS");
  EXPECT_TRUE(router.find(Method::head, "/contacts/x")->route);
}

TEST(Router, reports_a_missing_or_extra_slash) {
  const Router router = contacts();
  EXPECT_FALSE(router.find(Method::post, "/exports/")->other_slash);
  EXPECT_TRUE(router.find(Method::post, "/exports")->other_slash);
  EXPECT_TRUE(router.find(Method::get, "/exports/1/")->other_slash);
}

TEST(Router, refuses_two_routes_with_the_same_method_and_path) {
  std::vector<Route> twice;
  twice.push_back(route(Method::get, "/x/{a}"));
  twice.push_back(route(Method::get, "/x/{b}"));
  EXPECT_THROW(Router{std::move(twice)}, std::logic_error);
}

}  // namespace
}  // namespace shopbell::http
