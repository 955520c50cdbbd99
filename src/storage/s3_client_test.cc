#include "storage/s3_client.h"

#include <gtest/gtest.h>

namespace shopbell::storage {

namespace {

TEST(S3Endpoint, is_a_scheme_and_a_host) {
  for (const char* good : {"https://s3.eu-central-1.amazonaws.com", "http://127.0.0.1:9000"}) {
    EXPECT_EQ(fault_of_endpoint(good), "") << good;
  }
  for (const char* bad : {"", "s3.amazonaws.com", "ftp://host", "https://", "https://host/",
                          "https://host/bucket", "https://host?x", "https://user@host"}) {
    EXPECT_NE(fault_of_endpoint(bad), "") << bad;
  }
}

TEST(S3Link, names_the_bucket_in_its_path_or_its_host) {
  boost::asio::io_context loop;
  S3Settings settings{
      .endpoint = "https://s3.example", .bucket = "shop", .credentials = {"k", "s", "r"}};
  using std::chrono::seconds;
  EXPECT_TRUE(S3Client(loop, settings)
                  .link("a/b", "c.csv", seconds{60})
                  .starts_with("https://s3.example/shop/a/b?X-Amz-Algorithm="));
  settings.bucket_in_host = true;
  const std::string link = S3Client(loop, settings).link("a/b", "c.csv", seconds{60});
  EXPECT_TRUE(link.starts_with("https://shop.s3.example/a/b?X-Amz-Algorithm=")) << link;
  EXPECT_TRUE(link.contains("&X-Amz-Expires=60&"));
  EXPECT_FALSE(link.contains("secret"));
}

TEST(S3Xml, returns_elements_one_by_one) {
  std::string_view xml = "<R><Key>a&amp;lt;</Key><Key>&quot;b&quot;</Key><Open>";
  EXPECT_EQ(element_of(xml, "Key"), "a&lt;");
  EXPECT_EQ(element_of(xml, "Key"), "\"b\"");
  EXPECT_EQ(element_of(xml, "Key"), std::nullopt);
  EXPECT_EQ(element_of(xml, "Open"), std::nullopt);
}

}  // namespace
}  // namespace shopbell::storage
