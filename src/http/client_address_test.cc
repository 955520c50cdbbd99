#include "http/client_address.h"

#include <gtest/gtest.h>

namespace shopbell::http {
namespace {

const std::vector<std::string> kTrusted{"10.0.0.0/8", "192.0.2.7", "2001:db8:1::/48"};

std::string client(std::string_view peer, std::vector<std::string_view> forwarded,
                   std::vector<std::string> trusted = kTrusted) {
  return client_address(peer, trusted, forwarded);
}

TEST(AddressRange, is_an_address_or_a_network) {
  for (const char* text :
       {"10.0.0.0/8", "10.1.2.3/8", "0.0.0.0/0", "192.0.2.7", "192.0.2.7/32", "::1", "::/0",
        "2001:db8::/32", "2001:DB8::1/128", "::ffff:10.0.0.0/104"}) {
    EXPECT_TRUE(is_address_range(text)) << text;
  }
  for (const char* text : {"",
                           " ",
                           "/",
                           "/8",
                           "10.0.0.0/",
                           "10.0.0.0/33",
                           "10.0.0.0/-1",
                           "10.0.0.0/+8",
                           "10.0.0.0/8 ",
                           " 10.0.0.0/8",
                           "10.0.0.0/8/8",
                           "10.0.0",
                           "10.0.0.256",
                           "010.0.0.1",
                           "10.0.0.0/0x8",
                           "10.0.0.0/99999999999",
                           "::1/129",
                           "[::1]",
                           "1.2.3.4:80",
                           "fe80::1%eth0",
                           "fe80::1%1",
                           ":::",
                           "localhost",
                           "*",
                           "10.*"}) {
    EXPECT_FALSE(is_address_range(text)) << text;
  }
  EXPECT_FALSE(is_address_range(std::string_view{"10.0.0.1\0", 9}));
}

TEST(AddressRange, holds_what_shares_its_first_bits) {
  EXPECT_TRUE(address_in("10.255.0.1", "10.0.0.0/8"));
  EXPECT_TRUE(address_in("10.255.0.1", "10.1.2.3/8"));
  EXPECT_FALSE(address_in("11.0.0.1", "10.0.0.0/8"));
  EXPECT_TRUE(address_in("10.0.0.127", "10.0.0.0/25"));
  EXPECT_FALSE(address_in("10.0.0.128", "10.0.0.0/25"));
  EXPECT_TRUE(address_in("192.0.2.7", "192.0.2.7"));
  EXPECT_FALSE(address_in("192.0.2.8", "192.0.2.7"));
  EXPECT_TRUE(address_in("203.0.113.9", "0.0.0.0/0"));
  EXPECT_TRUE(address_in("2001:db8:0:1::5", "2001:db8::/32"));
  EXPECT_TRUE(address_in("2001:0DB8::0001", "2001:db8::1"));
  EXPECT_FALSE(address_in("2001:db9::", "2001:db8::/32"));
  EXPECT_TRUE(address_in("2001:db8::ffff", "2001:db8::fff0/124"));
  EXPECT_FALSE(address_in("2001:db8::ffef", "2001:db8::fff0/124"));
}

TEST(AddressRange, takes_ipv4_inside_ipv6_for_ipv4) {
  EXPECT_TRUE(address_in("::ffff:10.1.2.3", "10.0.0.0/8"));
  EXPECT_TRUE(address_in("10.1.2.3", "::ffff:10.0.0.0/104"));
  EXPECT_FALSE(address_in("11.1.2.3", "::ffff:10.0.0.0/104"));
  EXPECT_FALSE(address_in("10.1.2.3", "::/0"));
  EXPECT_FALSE(address_in("::1", "0.0.0.0/0"));
  EXPECT_EQ(normal_address("::ffff:10.1.2.3"), "10.1.2.3");
  EXPECT_EQ(normal_address("2001:DB8:0:0::1"), "2001:db8::1");
}

TEST(AddressRange, holds_no_nonsense) {
  EXPECT_FALSE(address_in("", ""));
  EXPECT_FALSE(address_in("", "0.0.0.0/0"));
  EXPECT_FALSE(address_in("nobody", "0.0.0.0/0"));
  EXPECT_FALSE(address_in("10.0.0.1", "everywhere"));
  EXPECT_FALSE(address_in("10.0.0.0/8", "10.0.0.0/8"));
  EXPECT_EQ(normal_address("unknown"), "");
}

TEST(ClientAddress, is_the_peer_whatever_a_stranger_says) {
  EXPECT_EQ(client("203.0.113.9", {}), "203.0.113.9");
  EXPECT_EQ(client("203.0.113.9", {"198.51.100.1"}), "203.0.113.9");
  EXPECT_EQ(client("203.0.113.9", {"198.51.100.1"}, {}), "203.0.113.9");
  EXPECT_EQ(client("::ffff:203.0.113.9", {"198.51.100.1"}), "203.0.113.9");
}

TEST(ClientAddress, is_what_a_trusted_proxy_saw) {
  EXPECT_EQ(client("10.0.0.1", {"198.51.100.1"}), "198.51.100.1");
  EXPECT_EQ(client("::ffff:10.0.0.1", {"198.51.100.1"}), "198.51.100.1");
  EXPECT_EQ(client("2001:db8:1::5", {" 2001:DB8:9::1 "}), "2001:db8:9::1");
  EXPECT_EQ(client("10.0.0.1", {}), "10.0.0.1");
  EXPECT_EQ(client("10.0.0.1", {"", " , ,"}), "10.0.0.1");
}

TEST(ClientAddress, is_read_from_the_right_past_trusted_proxies_only) {
  EXPECT_EQ(client("10.0.0.1", {"1.1.1.1, 198.51.100.1"}), "198.51.100.1");
  EXPECT_EQ(client("10.0.0.1", {"1.1.1.1, 198.51.100.1, 192.0.2.7,10.9.9.9"}), "198.51.100.1");
  EXPECT_EQ(client("10.0.0.1", {"1.1.1.1, 198.51.100.1", "192.0.2.7"}), "198.51.100.1");
  EXPECT_EQ(client("10.0.0.1", {"1.1.1.1,, 198.51.100.1 ,"}), "198.51.100.1");
  EXPECT_EQ(client("10.0.0.1", {"10.0.0.3, 10.0.0.2"}), "10.0.0.3");  // somebody on the inside
}

TEST(ClientAddress, is_read_without_the_port) {
  EXPECT_EQ(client("10.0.0.1", {"198.51.100.1:4711"}), "198.51.100.1");
  EXPECT_EQ(client("10.0.0.1", {"[2001:db8:9::1]:4711"}), "2001:db8:9::1");
  EXPECT_EQ(client("10.0.0.1", {"[2001:db8:9::1]"}), "2001:db8:9::1");
  EXPECT_EQ(client("10.0.0.1", {"1.1.1.1, 10.0.0.2:80"}), "1.1.1.1");
}

TEST(ClientAddress, stops_at_nonsense) {
  for (const char* nonsense : {"unknown", "_hidden", "[2001:db8:9::1", "[2001:db8:9::1]x", "[]",
                               "198.51.100.1:4711:1", "198.51.100.1 198.51.100.2", "fe80::1%eth0",
                               "\"198.51.100.1\"", ":", "]", "[", "for=198.51.100.1"}) {
    EXPECT_EQ(client("10.0.0.1", {nonsense}), "10.0.0.1") << nonsense;
    const std::string behind = "1.1.1.1, " + std::string{nonsense} + ", 10.0.0.2";
    EXPECT_EQ(client("10.0.0.1", {behind}), "10.0.0.2") << nonsense;
  }
  EXPECT_EQ(client("", {"198.51.100.1"}), "");
}

}  // namespace
}  // namespace shopbell::http
