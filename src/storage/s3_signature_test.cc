#include "storage/s3_signature.h"

#include <gtest/gtest.h>

#include "base/digest.h"

namespace shopbell::storage {

namespace {

// The expected values were computed with Python's hmac module from the specification. AWS publishes
// the signature of the first call, which is the same.
const S3Credentials kPublished{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                               "us-east-1"};
const S3Credentials kOther{"shop-key", "s3cr3t/with+signs=", "eu-central-1"};

std::string authorization(const Pairs& headers) {
  for (const auto& [name, value] : headers) {
    if (name == "authorization") return value;
  }
  return {};
}

TEST(S3Signature, signs_a_call_in_its_headers) {
  const auto headers = signed_headers(kPublished,
                                      {.host = "examplebucket.s3.amazonaws.com",
                                       .path = "/test.txt",
                                       .headers = {{"range", "bytes=0-9"}}},
                                      to_hex(sha256("")), *parse_rfc3339("2013-05-24T00:00:00Z"));
  EXPECT_EQ(authorization(headers),
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
            "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, Signature="
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
  EXPECT_EQ(headers[0], (std::pair<std::string, std::string>{"range", "bytes=0-9"}));
  EXPECT_EQ(headers[1], (std::pair<std::string, std::string>{"x-amz-date", "20130524T000000Z"}));
  EXPECT_EQ(headers.size(), 4U);
}

TEST(S3Signature, signs_encoded_names_and_values) {
  const std::string name = encoded("exports/42/ä b.csv", Slashes::kept);
  EXPECT_EQ(name, "exports/42/%C3%A4%20b.csv");
  const auto headers =
      signed_headers(kOther,
                     {.method = "PUT",
                      .host = "127.0.0.1:9000",
                      .path = "/files/" + name,
                      .query = {{"uploadId", "a/b+c="}, {"partNumber", "12"}, {"flag", ""}},
                      .headers = {{"content-type", "text/csv"}}},
                     to_hex(sha256("hello")), *parse_rfc3339("2026-11-15T02:04:05.999Z"));
  EXPECT_EQ(authorization(headers),
            "AWS4-HMAC-SHA256 Credential=shop-key/20261115/eu-central-1/s3/aws4_request, "
            "SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date, Signature="
            "43c636e484b7e5737a4719b423864690f1239c6521e46fc60cccb14065e4f839");
}

TEST(S3Signature, signs_a_link_in_its_query) {
  EXPECT_EQ(
      signed_query(kPublished, {.host = "examplebucket.s3.amazonaws.com", .path = "/test.txt"},
                   std::chrono::seconds{86'400}, *parse_rfc3339("2013-05-24T00:00:00Z")),
      "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2F"
      "us-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&"
      "X-Amz-SignedHeaders=host&X-Amz-Signature="
      "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
  const std::string query = signed_query(
      kOther,
      {.host = "files.s3.example",
       .path = "/exports/42/a-1",
       .query = {{"response-content-disposition", "attachment; filename=\"kunden ä.csv\""}}},
      std::chrono::seconds{60}, *parse_rfc3339("2026-11-15T23:59:59Z"));
  EXPECT_TRUE(query.contains("&response-content-disposition=attachment%3B%20filename%3D%22"));
  EXPECT_TRUE(
      query.ends_with("&X-Amz-Signature="
                      "8edabf0d034a616dfac65023a853f3d621bc79aa8b62ef9de0658135a1b477c3"));
}

TEST(S3Signature, sorts_a_query_by_its_encoded_names) {
  EXPECT_EQ(query_of({}), "");
  EXPECT_EQ(query_of({{"uploads", ""}, {"prefix", "a/b"}, {"a b", "~"}}),
            "a%20b=~&prefix=a%2Fb&uploads=");
}

}  // namespace
}  // namespace shopbell::storage
