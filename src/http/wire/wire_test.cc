#include "http/wire/wire.h"

#include <format>

#include <gtest/gtest.h>

#include "base/limits.h"

namespace shopbell::http {
namespace {

TEST(Wire, has_a_reason_phrase_for_every_problem) {
  for (const auto& kind : problem_kinds()) {
    EXPECT_NE(reason_of(kind.status), "Client Error") << kind.status;
    EXPECT_NE(reason_of(kind.status), "Server Error") << kind.status;
  }
  EXPECT_EQ(reason_of(404), "Not Found");
  EXPECT_EQ(reason_of(307), "Temporary Redirect");
  EXPECT_EQ(reason_of(499), "Client Error");
  EXPECT_EQ(reason_of(599), "Server Error");
}

TEST(Wire, is_a_head_and_a_body) {
  Response response = Response::json("{}");
  response.status = 201;
  response.close = true;
  const std::string wire = to_wire(response, false);
  EXPECT_TRUE(wire.starts_with("HTTP/1.1 201 Created\r\nDate: ")) << wire;
  EXPECT_TRUE(
      wire.ends_with(" GMT\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
                     "Connection: close\r\n\r\n{}"))
      << wire;
  EXPECT_TRUE(to_wire(response, true).ends_with("Connection: close\r\n\r\n"));
}

TEST(Wire, does_not_copy_a_large_or_shared_body) {
  Response shared = Response::json("{}");
  shared.share_body();
  const Response large = Response::json(std::string(limits::kAnswerFree + 1, 'x'));
  for (const Response* response : {&std::as_const(shared), &large}) {
    const std::string wire = to_wire(*response, false);
    EXPECT_TRUE(wire.ends_with("\r\n\r\n"));
    EXPECT_TRUE(wire.contains(std::format("Content-Length: {}\r\n", response->text().size())));
    EXPECT_FALSE(is_joined(*response));
  }
  const Response copy = shared;
  EXPECT_EQ(copy.text().data(), shared.text().data());
}

TEST(Wire, has_no_content_length_if_the_status_forbids_a_body) {
  for (const int status : {204, 304}) {
    const std::string wire = to_wire({.status = status, .body = "ignored"}, false);
    EXPECT_FALSE(wire.contains("Content-Length")) << wire;
    EXPECT_TRUE(wire.ends_with("\r\n\r\n")) << wire;
  }
}

}  // namespace
}  // namespace shopbell::http
