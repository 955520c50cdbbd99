#include "net/smtp/reply.h"

#include <gtest/gtest.h>

#include "base/mail_limits.h"

namespace shopbell::net::smtp {

namespace {

Reply only_reply(std::string_view bytes) {
  ReplyReader reader;
  reader.add(bytes);
  const auto reply = reader.next();
  EXPECT_TRUE(reply) << bytes;
  EXPECT_FALSE(reader.has_rest()) << bytes;
  return reply.value_or(Reply{});
}

TEST(ReplyReader, reads_code_enhanced_code_and_text) {
  const Reply reply = only_reply("550 5.1.1 No such user here\r\n");
  EXPECT_EQ(reply.code, 550);
  EXPECT_EQ(reply.enhanced, "5.1.1");
  EXPECT_EQ(reply.text, "No such user here");
  EXPECT_TRUE(reply.is_permanent());
}

TEST(ReplyReader, joins_the_lines_of_a_reply) {
  const Reply reply =
      only_reply("250-mx.example greets you\r\n250-PIPELINING\r\n250 SIZE 1000\r\n");
  EXPECT_EQ(reply.code, 250);
  EXPECT_EQ(reply.text, "mx.example greets you\nPIPELINING\nSIZE 1000");
}

TEST(ReplyReader, removes_the_enhanced_code_of_every_line) {
  const Reply reply = only_reply("452-4.5.3 Too many\r\n452 4.5.3 recipients\r\n");
  EXPECT_EQ(reply.enhanced, "4.5.3");
  EXPECT_EQ(reply.text, "Too many\nrecipients");
}

TEST(ReplyReader, takes_other_numbers_for_text) {
  EXPECT_EQ(only_reply("550 4.1.1 contradicts\r\n").enhanced, "");
  EXPECT_EQ(only_reply("250 2.x\r\n").enhanced, "");
  EXPECT_EQ(only_reply("550 5.1.1234 long\r\n").enhanced, "");
  EXPECT_EQ(only_reply("550 5.1.1\r\n").enhanced, "5.1.1");
  EXPECT_EQ(only_reply("220\r\n").text, "");
}

TEST(ReplyReader, waits_for_the_last_line) {
  ReplyReader reader;
  for (const char byte : std::string_view{"250-one\r\n250 two\r"}) {
    reader.add({&byte, 1});
    EXPECT_EQ(reader.next(), std::nullopt);
    EXPECT_TRUE(reader.has_rest());
  }
  reader.add("\n354 more\r\n");
  EXPECT_EQ(reader.next()->text, "one\ntwo");
  EXPECT_EQ(reader.next()->code, 354);
  EXPECT_FALSE(reader.has_rest());
}

TEST(ReplyReader, refuses_lines_that_are_no_replies) {
  for (const std::string_view line :
       {"HTTP/1.1 400 Bad Request", "", "25", "2500 x", "650 x", "150 x", "25a x", "250_x"}) {
    ReplyReader reader;
    reader.add(line);
    reader.add("\r\n");
    EXPECT_THROW(reader.next(), BadReply) << line;
  }
}

TEST(ReplyReader, refuses_two_codes_in_one_reply) {
  ReplyReader reader;
  reader.add("250-one\r\n550 two\r\n");
  EXPECT_THROW(reader.next(), BadReply);
}

TEST(ReplyReader, refuses_replies_without_end) {
  ReplyReader long_line;
  long_line.add(std::string(limits::kReplyLineBytes + 1, '2'));
  EXPECT_THROW(long_line.next(), BadReply);
  ReplyReader many_lines;
  for (std::size_t line = 0; line <= limits::kReplyLines; ++line) many_lines.add("250-x\r\n");
  EXPECT_THROW(many_lines.next(), BadReply);
}

}  // namespace

}  // namespace shopbell::net::smtp
