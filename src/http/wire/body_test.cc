#include "http/wire/body.h"

#include <gtest/gtest.h>

#include "base/limits.h"
#include "compress/compress.h"

namespace shopbell::http {
namespace {

// The code of the problem, or "" if the body is accepted.
std::string refusal(Method method, std::vector<std::pair<std::string, std::string>> headers,
                    std::string body = "{}") {
  const Request request{.method = method, .headers = std::move(headers), .body = std::move(body)};
  try {
    std::string plain;
    check_body(request, operations::Body{});
    read_body(request, operations::Body{}, plain);
    return "";
  } catch (const Problem& problem) {
    return kind_of(problem.code()).name;
  }
}

TEST(Body, is_json_in_utf8) {
  for (const char* type :
       {"application/json", "Application/JSON", "application/json; charset=utf-8",
        "application/json;charset=\"UTF-8\""}) {
    EXPECT_EQ(refusal(Method::post, {{"content-type", type}}), "") << type;
  }
  for (const char* type :
       {"", "text/plain", "application/json; charset=latin1", "application/json; charset=utf-80",
        "application/jsonx", "application/merge-patch+json", "multipart/form-data"}) {
    EXPECT_EQ(refusal(Method::post, {{"content-type", type}}), "unsupported-media-type") << type;
  }
  EXPECT_EQ(refusal(Method::patch, {{"content-type", "application/merge-patch+json"}}), "");
}

TEST(Body, may_be_compressed) {
  const std::pair<std::string, std::string> json{"content-type", "application/json"};
  for (const auto coding : {compress::Coding::gzip, compress::Coding::zstd}) {
    const std::string name{compress::name_of(coding)};
    const std::string body = compress::deflate(coding, R"({"a":1})");
    EXPECT_EQ(refusal(Method::post, {json, {"content-encoding", name}}, body), "");
    EXPECT_EQ(refusal(Method::post, {json, {"content-encoding", name}}, body.substr(0, 9)),
              "malformed-request");
    const std::string bomb =
        compress::deflate(coding, std::string(limits::kBodyBytes + 1, ' ') + "{}");
    EXPECT_EQ(refusal(Method::post, {json, {"content-encoding", name}}, bomb), "body-too-large");
  }
  EXPECT_EQ(refusal(Method::post, {json, {"content-encoding", "br"}}), "unsupported-encoding");
  EXPECT_EQ(refusal(Method::post, {json, {"content-encoding", "gzip, gzip"}}),
            "unsupported-encoding");
  EXPECT_EQ(refusal(Method::post, {json}, "{"), "malformed-json");
}

TEST(Body, is_lenient_if_the_client_prefers_that) {
  const auto prefers = [](std::string value) {
    return prefers_leniency({.headers = {{"prefer", std::move(value)}}});
  };
  EXPECT_TRUE(prefers("handling=lenient"));
  EXPECT_TRUE(prefers("respond-async, Handling=\"lenient\""));
  EXPECT_FALSE(prefers("handling=strict"));
  EXPECT_FALSE(prefers("lenient"));
  EXPECT_FALSE(prefers_leniency({}));
  EXPECT_TRUE(prefers_async({.headers = {{"prefer", "handling=lenient, Respond-Async"}}}));
  EXPECT_FALSE(prefers_async({.headers = {{"prefer", "handling=lenient"}}}));
  EXPECT_FALSE(prefers_async({.headers = {{"accept", "respond-async"}}}));
}

}  // namespace
}  // namespace shopbell::http
