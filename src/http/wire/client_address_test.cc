#include "http/wire/client_address.h"

#include <gtest/gtest.h>

namespace shopbell::http {
namespace {

const std::vector<std::string> kTrusted{"10.0.0.0/8", "192.0.2.7", "2001:db8:1::/48"};

std::string client(std::string_view peer, std::vector<std::string_view> forwarded,
                   std::vector<std::string> trusted = kTrusted) {
  return client_address(peer, trusted, forwarded);
}

TEST(ClientAddress, ignores_headers_of_untrusted_peers) {
  EXPECT_EQ(client("203.0.113.9", {}), "203.0.113.9");
  EXPECT_EQ(client("203.0.113.9", {"198.51.100.1"}), "203.0.113.9");
  EXPECT_EQ(client("203.0.113.9", {"198.51.100.1"}, {}), "203.0.113.9");
  EXPECT_EQ(client("::ffff:203.0.113.9", {"198.51.100.1"}), "203.0.113.9");
}

TEST(ClientAddress, is_the_address_reported_by_a_trusted_proxy) {
  EXPECT_EQ(client("10.0.0.1", {"198.51.100.1"}), "198.51.100.1");
  EXPECT_EQ(client("::ffff:10.0.0.1", {"198.51.100.1"}), "198.51.100.1");
  EXPECT_EQ(client("2001:db8:1::5", {" 2001:DB8:9::1 "}), "2001:db8:9::1");
  EXPECT_EQ(client("10.0.0.1", {}), "10.0.0.1");
  EXPECT_EQ(client("10.0.0.1", {"", " , ,"}), "10.0.0.1");
}

TEST(ClientAddress, is_read_from_the_right_and_skips_only_trusted_proxies) {
  EXPECT_EQ(client("10.0.0.1", {"1.1.1.1, 198.51.100.1"}), "198.51.100.1");
  EXPECT_EQ(client("10.0.0.1", {"1.1.1.1, 198.51.100.1, 192.0.2.7,10.9.9.9"}), "198.51.100.1");
  EXPECT_EQ(client("10.0.0.1", {"1.1.1.1, 198.51.100.1", "192.0.2.7"}), "198.51.100.1");
  EXPECT_EQ(client("10.0.0.1", {"1.1.1.1,, 198.51.100.1 ,"}), "198.51.100.1");
  EXPECT_EQ(client("10.0.0.1", {"10.0.0.3, 10.0.0.2"}), "10.0.0.3");  // a client inside the network
}

TEST(ClientAddress, is_read_without_the_port) {
  EXPECT_EQ(client("10.0.0.1", {"198.51.100.1:4711"}), "198.51.100.1");
  EXPECT_EQ(client("10.0.0.1", {"[2001:db8:9::1]:4711"}), "2001:db8:9::1");
  EXPECT_EQ(client("10.0.0.1", {"[2001:db8:9::1]"}), "2001:db8:9::1");
  EXPECT_EQ(client("10.0.0.1", {"1.1.1.1, 10.0.0.2:80"}), "1.1.1.1");
}

TEST(ClientAddress, stops_at_an_invalid_entry) {
  for (const char* invalid : {"unknown", "_hidden", "[2001:db8:9::1", "[2001:db8:9::1]x", "[]",
                              "198.51.100.1:4711:1", "198.51.100.1 198.51.100.2", "fe80::1%eth0",
                              "\"198.51.100.1\"", ":", "]", "[", "for=198.51.100.1"}) {
    EXPECT_EQ(client("10.0.0.1", {invalid}), "10.0.0.1") << invalid;
    const std::string behind = "1.1.1.1, " + std::string{invalid} + ", 10.0.0.2";
    EXPECT_EQ(client("10.0.0.1", {behind}), "10.0.0.2") << invalid;
  }
  EXPECT_EQ(client("", {"198.51.100.1"}), "");
}

}  // namespace
}  // namespace shopbell::http
