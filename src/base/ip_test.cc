#include "base/ip.h"

#include <vector>

#include <gtest/gtest.h>

namespace shopbell {
namespace {

TEST(Network, parses_an_address_or_a_network) {
  for (const char* text :
       {"10.0.0.0/8", "10.1.2.3/8", "0.0.0.0/0", "192.0.2.7", "192.0.2.7/32", "::1", "::/0",
        "2001:db8::/32", "2001:DB8::1/128", "::ffff:10.0.0.0/104"}) {
    EXPECT_TRUE(is_network(text)) << text;
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
    EXPECT_FALSE(is_network(text)) << text;
  }
  EXPECT_FALSE(is_network(std::string_view{"10.0.0.1\0", 9}));
}

TEST(Network, contains_addresses_with_its_prefix) {
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

TEST(Network, treats_ipv4_mapped_addresses_as_ipv4) {
  EXPECT_TRUE(address_in("::ffff:10.1.2.3", "10.0.0.0/8"));
  EXPECT_TRUE(address_in("10.1.2.3", "::ffff:10.0.0.0/104"));
  EXPECT_FALSE(address_in("11.1.2.3", "::ffff:10.0.0.0/104"));
  EXPECT_FALSE(address_in("10.1.2.3", "::/0"));
  EXPECT_FALSE(address_in("::1", "0.0.0.0/0"));
  EXPECT_EQ(normal_address("::ffff:10.1.2.3"), "10.1.2.3");
  EXPECT_EQ(normal_address("2001:DB8:0:0::1"), "2001:db8::1");
}

TEST(Network, is_in_the_union_of_others) {
  using Texts = std::vector<std::string>;
  const Texts halves{"10.0.0.0/9", "10.128.0.0/10", "10.192.0.0/10", "2001:db8::/32"};
  for (const char* inner : {"10.0.0.0/8", "10.1.2.3/8", "10.127.0.0/15", "10.200.1.1",
                            "::ffff:10.0.0.0/104", "2001:db8:5::/48", "2001:db8::/32"})
    EXPECT_TRUE(network_in(inner, halves)) << inner;
  for (const char* inner :
       {"10.0.0.0/7", "0.0.0.0/0", "11.0.0.1", "::/0", "2001:db8::/31", "::1", "nowhere", ""})
    EXPECT_FALSE(network_in(inner, halves)) << inner;
  EXPECT_TRUE(network_in("0.0.0.0/0", Texts{"0.0.0.0/1", "128.0.0.0/1"}));
  EXPECT_TRUE(network_in("::/0", Texts{"8000::/1", "::/2", "4000::/2"}));
  EXPECT_FALSE(network_in("10.0.0.0/8", Texts{"10.0.0.0/9", "10.128.0.0/10"}));
  EXPECT_FALSE(network_in("10.0.0.0/8", Texts{}));
  EXPECT_FALSE(network_in("10.0.0.0/8", Texts{"::/0"}));
}

TEST(Network, invalid_texts_match_nothing) {
  EXPECT_FALSE(address_in("", ""));
  EXPECT_FALSE(address_in("", "0.0.0.0/0"));
  EXPECT_FALSE(address_in("nobody", "0.0.0.0/0"));
  EXPECT_FALSE(address_in("10.0.0.1", "everywhere"));
  EXPECT_FALSE(address_in("10.0.0.0/8", "10.0.0.0/8"));
  EXPECT_EQ(normal_address("unknown"), "");
}

// The first and last address of a network, and its neighbours.
struct Edges {
  const char* before;
  const char* first;
  const char* last;
  const char* after;
};

bool is_public_text(const char* text) {
  const auto address = Ip::parse(text);
  EXPECT_TRUE(address) << text;
  return address && is_public(*address);
}

TEST(Ip, ipv4_is_public_outside_the_special_networks) {
  for (const auto& [before, first, last, after] : std::initializer_list<Edges>{
           {nullptr, "0.0.0.0", "0.255.255.255", "1.0.0.0"},
           {"9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"},
           {"100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"},
           {"126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"},
           {"168.63.129.15", "168.63.129.16", "168.63.129.16", "168.63.129.17"},
           {"169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"},
           {"172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"},
           {"191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"},
           {"192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"},
           {"192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0"},
           {"192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"},
           {"198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"},
           {"198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"},
           {"203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"},
           {"223.255.255.255", "224.0.0.0", "255.255.255.255", nullptr}}) {
    EXPECT_FALSE(is_public_text(first)) << first;
    EXPECT_FALSE(is_public_text(last)) << last;
    EXPECT_TRUE(before == nullptr || is_public_text(before)) << last;
    EXPECT_TRUE(after == nullptr || is_public_text(after)) << last;
  }
  for (const char* text : {"239.255.255.255", "240.0.0.1", "169.254.169.254", "100.100.100.200"})
    EXPECT_FALSE(is_public_text(text)) << text;
  for (const char* text : {"8.8.8.8", "1.1.1.1", "93.184.215.14"})
    EXPECT_TRUE(is_public_text(text));
}

TEST(Ip, ipv6_is_public_only_in_the_global_unicast_range) {
  for (const char* text : {"2000::", "2001:200::", "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff",
                           "2001:db9::", "2003::", "2606:2800:21f:cb07:6820:80da:af6b:8b2c",
                           "3ffe:ffff::1", "3fff:1000::"}) {
    EXPECT_TRUE(is_public_text(text)) << text;
  }
  for (const char* text : {"::",
                           "::1",
                           "::2",
                           "::8.8.8.8",
                           "::ffff:8.8.8.8",
                           "::ffff:127.0.0.1",
                           "::ffff:0:8.8.8.8",
                           "64:ff9b::8.8.8.8",
                           "64:ff9b::10.0.0.5",
                           "64:ff9b:1::1",
                           "100::1",
                           "100:0:0:1::1",
                           "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                           "2001::",
                           "2001:0:a00:5::1",
                           "2001:20::1",
                           "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
                           "2001:db8::1",
                           "2002:7f00:1::1",
                           "2002:808:808::1",
                           "3fff::1",
                           "3fff:fff:ffff::1",
                           "4000::1",
                           "5f00::1",
                           "fc00::1",
                           "fd00:ec2::254",
                           "fe80::1",
                           "febf::1",
                           "fec0::1",
                           "ff02::1"}) {
    EXPECT_FALSE(is_public_text(text)) << text;
  }
}

TEST(Ip, has_one_canonical_text) {
  EXPECT_EQ(Ip::parse("2001:DB8:0::0:1")->text(), "2001:db8::1");
  EXPECT_EQ(Ip::parse("::ffff:10.0.0.1")->text(), "::ffff:10.0.0.1");
  EXPECT_EQ(Ip::parse("::ffff:10.0.0.1")->unmapped().text(), "10.0.0.1");
  EXPECT_EQ(Ip::parse("::ffff:a00:1")->unmapped(), Ip::parse("10.0.0.1"));
  EXPECT_NE(Ip::parse("::10.0.0.1"), Ip::parse("10.0.0.1"));
  const std::array<std::uint8_t, 4> bytes{192, 0, 2, 7};
  EXPECT_EQ(Ip::v4(bytes), Ip::parse("192.0.2.7"));
  std::array<std::uint8_t, 16> wide{};
  wide[15] = 1;
  EXPECT_EQ(Ip::v6(wide), Ip::parse("::1"));
  for (const char* text : {"127.1", "2130706433", "0x7f.0.0.1", "0177.0.0.1", "127.0.0.1.", "1.2.3",
                           "127.0.0.1%lo", "[::1]", "::1%lo", "1::2::3", "12345::", "::1.2.3", ""})
    EXPECT_FALSE(Ip::parse(text)) << text;
}

}  // namespace
}  // namespace shopbell
