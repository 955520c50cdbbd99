#include "net/outside.h"

#include <gtest/gtest.h>

namespace shopbell::net {
namespace {

bool accepted(std::string_view url, const OutsideRules& rules = {}) {
  return !why_not_outside(url, rules).has_value();
}

TEST(Outside, accepts_public_names_and_addresses) {
  for (const char* url :
       {"https://shop.example/hooks", "http://shop.example", "https://SHOP.Example:443/?a=b#c",
        "http://shop.example:80/", "http://shop.example:443/", "https://xn--bcher-kva.example/",
        "https://a_b.shop.example/", "https://1.shop.example/", "https://93.184.215.14/",
        "http://8.8.8.8:80/a@b", "https://[2606:2800:21f::1]/", "https://[2606:2800:21f::1]:443/",
        "https://localhost.shop.example/", "https://notlocal/"}) {
    EXPECT_EQ(accepted(url), std::string_view{url} != "https://notlocal/") << url;
  }
}

TEST(Outside, rejects_private_addresses_in_any_notation) {
  for (const char* host : {"127.0.0.1",
                           "10.0.0.5",
                           "172.16.0.1",
                           "192.168.1.1",
                           "169.254.169.254",
                           "100.64.0.1",
                           "0.0.0.0",
                           "255.255.255.255",
                           "203.0.113.7",
                           "224.0.0.1",
                           "[::1]",
                           "[::]",
                           "[::ffff:127.0.0.1]",
                           "[::ffff:8.8.8.8]",
                           "[::127.0.0.1]",
                           "[fd00::1]",
                           "[fe80::1]",
                           "[fe80::1%25lo]",
                           "[fe80::1%lo]",
                           "[64:ff9b::a00:5]",
                           "[2002:a00:5::]",
                           "[ff02::1]",
                           "127.1",
                           "127.0.1",
                           "0",
                           "1",
                           "2130706433",
                           "0x7f000001",
                           "0x7f.1",
                           "0x7f.0.0.0x1",
                           "0177.0.0.1",
                           "017700000001",
                           "127.0.0.01",
                           "127.0.0.1.",
                           "127.0.0.1..",
                           "127.0.0.256",
                           "8.8.8",
                           "8.8.8.8.8",
                           "134744072",
                           "999999999999",
                           "a.b.0x",
                           "a.1",
                           "1.2.3.4.0x5",
                           "%31%32%37.0.0.1",
                           "127%2e0.0.1",
                           "[127.0.0.1]",
                           "::1",
                           "[::1",
                           "::1]",
                           "[[::1]]",
                           "[]"}) {
    EXPECT_FALSE(accepted(std::format("http://{}/", host))) << host;
    EXPECT_FALSE(accepted(std::format("https://{}:443", host))) << host;
  }
}

TEST(Outside, rejects_local_and_malformed_names) {
  for (const char* host : {"localhost",
                           "LocalHost",
                           "localhost.",
                           "a.localhost",
                           "printer.local",
                           "local",
                           "metadata.google.internal",
                           "internal",
                           "a.home.arpa",
                           "localhost.localdomain",
                           "db",
                           "postgres",
                           "shop.example.",
                           "shop..example",
                           ".shop.example",
                           "-",
                           "a b.example",
                           "b\xc3\xbc"
                           "cher.example",
                           "\xe2\x91\xa0.example",
                           "shop\xe3\x80\x82"
                           "example",
                           "shop.example\\@a.example",
                           "shop.example%00.a.example",
                           "shop.example\n",
                           "*.example",
                           "a,b.example"}) {
    EXPECT_FALSE(accepted(std::format("https://{}/", host))) << host;
  }
  EXPECT_FALSE(accepted(std::format("https://{}.example/", std::string(64, 'a'))));
  std::string long_name;
  while (long_name.size() < 250) long_name += "abcde.";
  EXPECT_FALSE(accepted(std::format("https://{}example/", long_name)));
}

TEST(Outside, rejects_other_schemes_users_and_ports) {
  for (const char* url : {"",
                          "shop.example",
                          "//shop.example/",
                          "ftp://shop.example/",
                          "file:///etc/passwd",
                          "gopher://shop.example/",
                          "HTTP://shop.example/",
                          "http:/shop.example/",
                          "http:///a",
                          "http://user@shop.example/",
                          "http://user:word@shop.example/",
                          "http://@shop.example/",
                          "http://shop.example:22/",
                          "http://shop.example:8080/",
                          "http://shop.example:0/",
                          "http://shop.example:/",
                          "http://shop.example:80:80/",
                          "http://shop.example:+80/",
                          "http://shop.example:65616/",
                          "http://shop.example:0x50/",
                          "http://93.184.215.14:6379/",
                          "http://[2606:2800:21f::1]8080/",
                          "http://[2606:2800:21f::1]:8080/",
                          "http://:80/",
                          " http://shop.example/",
                          "http://shop.example /",
                          "http://shop.example\t/",
                          "http://\x01shop.example/"}) {
    EXPECT_FALSE(accepted(url)) << url;
  }
  EXPECT_TRUE(accepted("http://shop.example:8080/", {.allow_ports = {8080}}));
  EXPECT_FALSE(accepted("http://shop.example:8081/", {.allow_ports = {8080}}));
  EXPECT_FALSE(accepted("http://10.0.0.5:8080/", {.allow_ports = {8080}}));
}

TEST(Outside, explains_a_rejection) {
  EXPECT_EQ(why_not_outside("ftp://shop.example/", {}),
            "Must be an http or https URL without a user.");
  EXPECT_EQ(why_not_outside("http://127.1/", {}),
            "The host must be a DNS name or an IP address, and the port a number from 1 to 65535.");
  EXPECT_EQ(why_not_outside("http://shop.example:22/", {}), "Port 22 is not allowed.");
  EXPECT_EQ(why_not_outside("http://10.0.0.5/", {}), "The address is not public.");
  EXPECT_EQ(why_not_outside("http://localhost/", {}), "The host is not public.");
}

TEST(Outside, accepts_hosts_that_the_operator_lists) {
  const OutsideRules rules{.allow_private = {"hooks.internal", "10.1.0.0/16", "127.0.0.1:8090",
                                             "[fd00::1]:8091", "fd00:2::/32", "Receiver:9000"},
                           .allow_ports = {8080}};
  for (const char* url :
       {"http://hooks.internal/", "https://HOOKS.internal:8080/", "http://10.1.2.3/",
        "http://10.1.2.3:8080/", "http://127.0.0.1:8090/", "http://[fd00::1]:8091/",
        "http://[fd00:2::7]/", "http://receiver:9000/", "http://[::ffff:10.1.2.3]/"}) {
    EXPECT_TRUE(accepted(url, rules)) << url;
  }
  for (const char* url :
       {"http://hooks.internal:8090/", "http://a.hooks.internal/", "http://10.2.0.1/",
        "http://10.1.2.3:8090/", "http://127.0.0.1/", "http://127.0.0.1:8080/",
        "http://127.0.0.2:8090/", "http://127.1:8090/", "http://[fd00::1]/", "http://receiver/",
        "http://receiver:8080/", "http://localhost:8090/", "http://u@127.0.0.1:8090/"}) {
    EXPECT_FALSE(accepted(url, rules)) << url;
  }
}

TEST(Outside, checks_the_resolved_address) {
  const OutsideRules rules{.allow_private = {"10.1.0.0/16", "hooks.internal", "127.0.0.1:8090"}};
  const auto target = OutsideTarget::of("https://shop.example/", rules);
  ASSERT_TRUE(target);
  EXPECT_FALSE(target->is_settled());
  const auto allows = [&](const char* address, std::uint16_t port = 443) {
    return target->allows(Ip::parse(address).value(), port);
  };
  EXPECT_TRUE(allows("93.184.215.14"));
  EXPECT_TRUE(allows("2606:2800:21f::1"));
  EXPECT_TRUE(allows("10.1.2.3"));
  EXPECT_FALSE(allows("10.2.2.3"));
  EXPECT_FALSE(allows("::ffff:93.184.215.14"));
  EXPECT_FALSE(allows("127.0.0.1"));
  EXPECT_FALSE(allows("93.184.215.14", 80));
  const auto listed = OutsideTarget::of("http://hooks.internal/", rules);
  ASSERT_TRUE(listed);
  EXPECT_TRUE(listed->is_settled());
  EXPECT_TRUE(listed->allows(Ip::parse("192.168.0.1").value(), 80));
  EXPECT_TRUE(OutsideTarget::of("http://93.184.215.14/", rules)->is_settled());
}

TEST(Outside, an_origin_is_a_scheme_a_host_and_a_port) {
  const char* url = "https://shop.example/hook";
  for (const char* same : {"https://shop.example", "https://SHOP.example:443/other?a#b"})
    EXPECT_TRUE(have_same_origin(url, same)) << same;
  for (const char* other :
       {"http://shop.example/hook", "https://shop.example:80/hook", "https://www.shop.example/hook",
        "https://shop.example.evil.example/hook", "https://evil.example/shop.example", "", "shop"})
    EXPECT_FALSE(have_same_origin(url, other)) << other;
  EXPECT_TRUE(have_same_origin("http://[2001:DB8::1]/", "http://[2001:db8:0::1]:80/a"));
  EXPECT_FALSE(have_same_origin("", ""));
}

TEST(Outside, allow_private_takes_hosts_addresses_and_networks) {
  for (const char* text :
       {"hooks.internal", "receiver", "receiver:9000", "127.0.0.1", "127.0.0.1:8090", "10.0.0.0/8",
        "::1", "[::1]", "[::1]:8090", "fd00::/8"}) {
    EXPECT_TRUE(is_listable_host(text)) << text;
  }
  for (const char* text :
       {"", " ", "*", "*.internal", "http://hooks.internal", "127.1", "10.0.0.0/", "10.0.0.0/33",
        "10.0.0.0/8:80", "receiver:", "receiver:0", "[::1]:", "[::1", "[::1]8090", "receiver:70000",
        "a/b", "user@receiver"}) {
    EXPECT_FALSE(is_listable_host(text)) << text;
  }
}

}  // namespace
}  // namespace shopbell::net
