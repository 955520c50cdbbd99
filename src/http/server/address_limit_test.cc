#include "http/server/address_limit.h"

#include <gtest/gtest.h>

namespace shopbell::http {
namespace {

TEST(AddressLimit, counts_the_open_connections_of_an_address) {
  AddressLimit limit{2, {}};
  auto first = limit.admit("192.0.2.7");
  auto second = limit.admit("192.0.2.7");
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(limit.admit("192.0.2.7"));
  EXPECT_TRUE(limit.admit("192.0.2.8"));
  second.reset();
  EXPECT_TRUE(limit.admit("192.0.2.7"));
}

TEST(AddressLimit, counts_an_ipv6_network_as_one_address) {
  AddressLimit limit{1, {}};
  const auto first = limit.admit("2001:db8::1");
  ASSERT_TRUE(first);
  EXPECT_FALSE(limit.admit("2001:db8::2"));
  EXPECT_TRUE(limit.admit("2001:db8:0:1::1"));
}

TEST(AddressLimit, exempts_trusted_proxies) {
  AddressLimit limit{1, {"10.0.0.0/8"}};
  const auto first = limit.admit("10.1.2.3");
  EXPECT_TRUE(first && limit.admit("10.1.2.3"));
  const auto other = limit.admit("192.0.2.7");
  EXPECT_TRUE(other && !limit.admit("192.0.2.7"));
}

TEST(AddressLimit, zero_means_no_limit) {
  AddressLimit limit{0, {}};
  const auto first = limit.admit("192.0.2.7");
  EXPECT_TRUE(first && limit.admit("192.0.2.7"));
}

}  // namespace
}  // namespace shopbell::http
