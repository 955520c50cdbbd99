#include "resources/webhooks/webhook.h"

#include <gtest/gtest.h>

namespace shopbell::webhooks {
namespace {

TEST(Webhooks, accept_only_known_kinds) {
  for (const char* good : {"contact.created", "contact.*", "coupon-set.low", "coupon-set.*",
                           "product.back-in-stock", "custom.*", "custom.points-redeemed"}) {
    EXPECT_TRUE(names_kinds(good)) << good;
  }
  for (const char* bad :
       {"", ".", "*", ".*", "contact", "contact.", "contact.*.*", "contact.gone", "contacts.*",
        "con*", "custom.", "custom.Points", "custom.a.b", "webhook.test", "contact.created "}) {
    EXPECT_FALSE(names_kinds(bad)) << bad;
  }
}

TEST(Webhooks, have_a_reason_unless_enabled) {
  Webhook failing{.url = "https://a.example/", .status = "paused", .reason = "failing"};
  failing.failing_since = system_clock().now();
  Webhook same = failing;
  settle_status(failing, same);
  EXPECT_EQ(same.reason, "failing");
  EXPECT_TRUE(same.failing_since);

  Webhook ended = failing;
  ended.status = "disabled";
  settle_status(failing, ended);
  EXPECT_EQ(ended.reason, "requested");

  Webhook again = failing;
  again.status = "enabled";
  settle_status(failing, again);
  EXPECT_EQ(again.reason, std::nullopt);
  EXPECT_EQ(again.failing_since, std::nullopt);

  Webhook moved = failing;
  moved.url = "https://b.example/";
  settle_status(failing, moved);
  EXPECT_EQ(moved.reason, "failing");
  EXPECT_EQ(moved.failing_since, std::nullopt);
}

}  // namespace
}  // namespace shopbell::webhooks
