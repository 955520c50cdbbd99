#include "http/wire/static_body.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace shopbell::http {
namespace {

TEST(StaticBody, is_compressed_once) {
  const std::string text(2 * limits::kCompressFrom, 'x');
  const StaticBody body{text};
  for (const auto coding : {compress::Coding::gzip, compress::Coding::zstd}) {
    EXPECT_LT(body.in(coding).size(), text.size());
    EXPECT_EQ(compress::inflate(coding, body.in(coding), text.size()), text);
    EXPECT_EQ(&body.in(coding), &body.in(coding));
  }
  EXPECT_EQ(body.in(compress::Coding::identity), text);
}

TEST(StaticBody, stays_uncompressed_if_it_is_short) {
  const StaticBody body{"short"};
  EXPECT_EQ(body.in(compress::Coding::gzip), "short");
  EXPECT_EQ(body.in(compress::Coding::zstd), "short");
}

TEST(StaticBody, has_an_etag_of_its_content) {
  EXPECT_EQ(StaticBody{"a"}.etag().size(), 34U);
  EXPECT_EQ(StaticBody{"a"}.etag(), StaticBody{"a"}.etag());
  EXPECT_NE(StaticBody{"a"}.etag(), StaticBody{"b"}.etag());
}

}  // namespace
}  // namespace shopbell::http
