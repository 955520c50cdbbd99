#include "http/parser.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace shopbell::http {
namespace {

Request parse(const std::string& bytes) {
  Parser parser;
  std::size_t taken = 0;
  while (!parser.done() && taken < bytes.size()) {
    const std::size_t took = parser.feed(std::string_view{bytes}.substr(taken));
    if (took == 0) break;
    taken += took;
  }
  EXPECT_TRUE(parser.done()) << bytes.substr(0, 60);
  return parser.take();
}

std::string fault(const std::string& bytes) {
  const Request request = parse(bytes);
  return request.fault ? kind_of(request.fault->code()).name : "none";
}

TEST(Parser, reads_a_request) {
  const Request request =
      parse("POST /a/b?c=d HTTP/1.1\r\nHost: x\r\nX-Thing:  one \r\nContent-Length: 3\r\n\r\nabc");
  EXPECT_EQ(request.method, Method::post);
  EXPECT_EQ(request.path(), "/a/b");
  EXPECT_EQ(request.query(), "c=d");
  EXPECT_EQ(request.header("x-thing"), "one");
  EXPECT_EQ(request.body, "abc");
  EXPECT_TRUE(request.keep_alive);
}

TEST(Parser, leaves_the_next_request_alone) {
  Parser parser;
  const std::string first = "GET /1 HTTP/1.1\r\nHost: x\r\n\r\n";
  EXPECT_EQ(parser.feed(first + "GET /2 HTTP/1.1\r\nHost: x\r\n\r\n"), first.size());
  EXPECT_TRUE(parser.done());
}

TEST(Parser, puts_chunks_together) {
  EXPECT_EQ(parse("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
                  "chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n")
                .body,
            "abcde");
}

TEST(Parser, refuses_what_is_not_http) {
  for (const char* bytes :
       {"nonsense\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
        "GET / HTTP/1.1\r\nbad header\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "GET  / HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nA : b\r\n\r\n"}) {
    EXPECT_EQ(fault(bytes), "malformed-request") << bytes;
  }
}

TEST(Parser, refuses_two_ways_to_end_a_body) {
  const std::string head = "POST / HTTP/1.1\r\nHost: x\r\n";
  for (const char* framing :
       {"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n",
        "Transfer-Encoding: gzip\r\n\r\n", "Transfer-Encoding: chunked, gzip\r\n\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
        "Content-Length: x\r\n\r\n", "Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "Content-Length: -1\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "Transfer-Encoding: chunked\r\n\r\n-1\r\n"}) {
    EXPECT_EQ(fault(head + framing), "malformed-request") << framing;
  }
}

TEST(Parser, keeps_its_limits_while_bytes_come_in) {
  EXPECT_EQ(fault("GET /" + std::string(limits::kPathBytes, 'x') + " HTTP/1.1\r\nHost: x\r\n\r\n"),
            "path-too-long");
  EXPECT_EQ(fault("GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(limits::kHeaderBytes, 'x') +
                  "\r\n\r\n"),
            "headers-too-large");
  EXPECT_EQ(fault("GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(100'000, 'x')),
            "headers-too-large");
  EXPECT_EQ(fault("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1048577\r\n\r\n"),
            "body-too-large");
  EXPECT_EQ(fault("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n100001\r\n" +
                  std::string(1'048'577, 'x')),
            "body-too-large");
  // What is between the chunks and behind them is held, too.
  const std::string chunked = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(fault(chunked + "1;" + std::string(10'000, 'a')), "malformed-request");
  EXPECT_EQ(fault(chunked + "1\r\nx\r\n0\r\nX: " + std::string(10'000, 'a')), "malformed-request");
}

bool awaits_continue(const std::string& bytes) {
  Parser parser;
  parser.feed(bytes);
  return parser.awaits_continue();
}

TEST(Parser, tells_when_a_body_is_held_back) {
  const std::string post = "POST / HTTP/1.1\r\nHost: x\r\nExpect: ";
  EXPECT_TRUE(awaits_continue(post + "100-continue\r\nContent-Length: 3\r\n\r\n"));
  EXPECT_TRUE(awaits_continue(post + "100-Continue\r\nTransfer-Encoding: chunked\r\n\r\n"));
  for (const char* rest :
       {"100-continue\r\nContent-Length: 3\r\n", "100-continue\r\nContent-Length: 3\r\n\r\na",
        "100-continue\r\nContent-Length: 3\r\n\r\nabc", "100-continue\r\n\r\n",
        "100-continue\r\nContent-Length: 0\r\n\r\n",
        "100-continue\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n",
        "100-continue\r\nContent-Length: 1048577\r\n\r\n",
        "100-continue\r\nContent-Length: 3\r\nHost: y\r\n\r\n",
        "200-ok\r\nContent-Length: 3\r\n\r\n"}) {
    EXPECT_FALSE(awaits_continue(post + rest)) << rest;
  }
  EXPECT_FALSE(awaits_continue("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n"));
  EXPECT_FALSE(
      awaits_continue("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"));
}

}  // namespace
}  // namespace shopbell::http
