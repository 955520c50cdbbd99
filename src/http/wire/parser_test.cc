#include "http/wire/parser.h"

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
  Request request = parser.take();
  if (!request.fault) request.fault = parser.body_fault();
  return request;
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

TEST(Parser, joins_chunks) {
  EXPECT_EQ(parse("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
                  "chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n")
                .body,
            "abcde");
}

TEST(Parser, drops_trailers) {
  const std::string head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  const Request request =
      parse(head +
            "1\r\nx\r\n0\r\nAuthorization: Bearer k\r\nX-Forwarded-For: 1.2.3.4\r\n"
            "Connection: close\r\nHost: y\r\n\r\n");
  EXPECT_FALSE(request.fault);
  EXPECT_EQ(request.body, "x");
  EXPECT_EQ(request.headers.size(), 2);
  EXPECT_EQ(request.header("host"), "x");
  EXPECT_EQ(request.header("authorization"), "");
  EXPECT_EQ(request.header("x-forwarded-for"), "");
  EXPECT_TRUE(request.keep_alive);
  for (const char* trailer : {"Content-Length: 5", "Transfer-Encoding: gzip", "bad trailer"})
    EXPECT_EQ(fault(head + "0\r\n" + trailer + "\r\n\r\n"), "malformed-request") << trailer;
}

TEST(Parser, refuses_chunks_of_http_1_0) {
  const std::string chunks = "Host: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
  EXPECT_EQ(fault("POST / HTTP/1.1\r\n" + chunks), "none");
  EXPECT_EQ(fault("POST / HTTP/1.0\r\n" + chunks), "malformed-request");
  EXPECT_EQ(fault("POST / HTTP/1.0\r\nConnection: keep-alive\r\n" + chunks), "malformed-request");
}

TEST(Parser, refuses_control_characters_in_chunk_extensions) {
  const std::string head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(fault(head + "1;a=\"b\tc\"\r\nx\r\n0;d=e\r\n\r\n"), "none");
  for (const char bad : {'\n', '\r', '\x01', '\x7f', '\0'}) {
    SCOPED_TRACE(static_cast<int>(bad));
    const std::string extension = std::string{";a=\"b"} + bad + "c\"\r\n";
    EXPECT_EQ(fault(head + "1" + extension + "x\r\n0\r\n\r\n"), "malformed-request");
    EXPECT_EQ(fault(head + "1\r\nx\r\n0" + extension + "\r\n"), "malformed-request");
  }
}

TEST(Parser, refuses_invalid_http) {
  for (const char* bytes :
       {"nonsense\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
        "GET / HTTP/1.1\r\nbad header\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "GET  / HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nA : b\r\n\r\n"}) {
    EXPECT_EQ(fault(bytes), "malformed-request") << bytes;
  }
}

TEST(Parser, refuses_ambiguous_body_framing) {
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

TEST(Parser, enforces_limits_while_bytes_arrive) {
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
  // The bytes between and after the chunks are limited too.
  const std::string chunked = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(fault(chunked + "1;" + std::string(10'000, 'a')), "malformed-request");
  EXPECT_EQ(fault(chunked + "1\r\nx\r\n0\r\nX: " + std::string(10'000, 'a')), "malformed-request");
}

// Streams the body in pieces of `piece` bytes, and appends a fault's code in brackets.
std::string streamed(const std::string& bytes, std::size_t piece, std::size_t bytes_max) {
  Parser parser{[&](Method, std::string_view) { return BodyRule{bytes_max, true}; }};
  std::string body;
  std::size_t taken = 0;
  for (std::size_t end = 0; !parser.done() && end < bytes.size();) {
    end = std::min(end + piece, bytes.size());
    taken += parser.feed(std::string_view{bytes}.substr(taken, end - taken));
    const std::string some = parser.take_body();
    EXPECT_LE(some.size(), piece);
    body += some;
  }
  if (const auto fault = parser.body_fault()) body += "[" + kind_of(fault->code()).name + "]";
  return body;
}

TEST(Parser, streams_a_body_while_it_arrives) {
  const std::string post = "POST / HTTP/1.1\r\nHost: x\r\n";
  const std::string length = post + "Content-Length: 6\r\n\r\nabcdef";
  const std::string chunks =
      post + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n";
  for (std::size_t piece = 1; piece <= chunks.size(); ++piece) {
    EXPECT_EQ(streamed(length, piece, 6), "abcdef") << piece;
    EXPECT_EQ(streamed(chunks, piece, 6), "abcdef") << piece;
  }
  EXPECT_EQ(streamed(length, 1, 5), "[body-too-large]");
  EXPECT_EQ(streamed(chunks, 1, 5), "abc[body-too-large]");
  EXPECT_EQ(streamed(post + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nx\r\n", 1, 6),
            "abc[malformed-request]");
}

TEST(Parser, returns_the_request_before_its_body) {
  Parser parser{[](Method, std::string_view) { return BodyRule{100, true}; }};
  parser.feed("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nabc");
  ASSERT_TRUE(parser.head_done() && parser.streams() && !parser.done());
  const Request request = parser.take();
  EXPECT_EQ(request.target, "/a");
  EXPECT_EQ(request.body, "");
  EXPECT_TRUE(request.keep_alive);
  EXPECT_EQ(parser.take_body(), "abc");
  EXPECT_EQ(parser.feed("defGET"), 3);
  EXPECT_TRUE(parser.done());
  EXPECT_EQ(parser.take_body(), "def");
  EXPECT_FALSE(parser.body_fault());
}

TEST(Parser, returns_the_head_before_the_body_and_its_faults) {
  const std::string post = "POST / HTTP/1.1\r\nHost: x\r\n";
  Parser length;
  length.feed(post + "Content-Length: 6\r\n\r\n");
  ASSERT_TRUE(length.head_done() && !length.done());
  EXPECT_EQ(length.body_left(), 6);
  EXPECT_EQ(length.take().body, "");
  length.feed("abcdef");
  EXPECT_EQ(length.take_body(), "abcdef");
  EXPECT_EQ(length.body_left(), 0);

  Parser chunks;
  chunks.feed(post + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nxyz\r\n");
  ASSERT_TRUE(chunks.done() && chunks.body_fault() && !chunks.has_whole_body());
  EXPECT_FALSE(chunks.body_left());
  const Request request = chunks.take();
  EXPECT_FALSE(request.fault) << "the head is not malformed";
  EXPECT_EQ(request.body, "");

  Parser refused;
  refused.feed(post);
  refused.refuse(Problem{Code::unavailable, ""});
  ASSERT_TRUE(refused.done());
  EXPECT_EQ(refused.take().fault->code(), Code::unavailable);
}

bool awaits_continue(const std::string& bytes) {
  Parser parser;
  parser.feed(bytes);
  return parser.awaits_continue();
}

TEST(Parser, detects_clients_that_wait_for_100_continue) {
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
