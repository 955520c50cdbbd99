#include "net/smtp/wire_form.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace shopbell::net::smtp {

namespace {

TEST(WireForm, ends_every_line_with_crlf) {
  EXPECT_EQ(to_wire_form("a\nb\rc\r\nd"), "a\r\nb\r\nc\r\nd\r\n.\r\n");
  EXPECT_EQ(to_wire_form("a\r\r\nb"), "a\r\n\r\nb\r\n.\r\n");
  EXPECT_EQ(to_wire_form(""), ".\r\n");
}

TEST(WireForm, doubles_leading_dots) {
  EXPECT_EQ(to_wire_form(".\n..a\nb.\n"), "..\r\n...a\r\nb.\r\n.\r\n");
}

TEST(WireForm, ends_at_the_lone_dot_alone) {
  EXPECT_TRUE(is_wire_form("a\r\n.\r\n"));
  EXPECT_TRUE(is_wire_form(".\r\n"));
  for (const std::string_view text : {"", "a", "a\r\n", "a\r\n.\r\nMAIL FROM:<x@y>\r\n", "a\n.\r\n",
                                      "a\r.\r\n", "a\r\n.\r", "a\r\n.\n", "a\r\n.\r\n.\r\n"})
    EXPECT_FALSE(is_wire_form(text)) << text;
  using namespace std::string_view_literals;
  EXPECT_FALSE(is_wire_form("a\0\r\n.\r\n"sv));
}

TEST(WireForm, is_safe_for_every_message) {
  EXPECT_TRUE(rc::check([] {
    const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
        "\r", "\n", "\r\n", ".", "..", "a", "MAIL FROM:<a@b>", "\r\n.\r\n", "\n.\n", " "));
    std::string message;
    for (const std::string& piece : pieces) message += piece;
    RC_ASSERT(is_wire_form(to_wire_form(message)));
  }));
}

TEST(AddressOfCommand, refuses_all_that_could_end_the_command) {
  EXPECT_EQ(fault_of_address("eva.bell@example.com"), std::nullopt);
  EXPECT_EQ(fault_of_address("köchin@example.com"), std::nullopt);
  using namespace std::string_view_literals;
  for (const std::string_view address :
       {""sv, "eva"sv, "@example.com"sv, "eva@"sv, "eva@example.com\r\nRCPT TO:<x@y>"sv,
        "eva@example.com>\r\n"sv, "eva@exam\0ple.com"sv, "eva bell@example.com"sv,
        "eva@example.com\n"sv, "<eva@example.com>"sv, "eva\x7f@example.com"sv,
        "eva\t@example.com"sv})
    EXPECT_NE(fault_of_address(address), std::nullopt) << address;
  EXPECT_NE(fault_of_address(std::string(250, 'a') + "@b.at"), std::nullopt);
}

TEST(AddressOfCommand, needs_smtputf8_for_other_letters) {
  EXPECT_TRUE(needs_smtputf8("köchin@example.com"));
  EXPECT_FALSE(needs_smtputf8("koechin@example.com"));
}

}  // namespace

}  // namespace shopbell::net::smtp
