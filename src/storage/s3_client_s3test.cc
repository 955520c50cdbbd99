#include <gtest/gtest.h>

#include "runtime/wait.h"
#include "storage/real_server.h"
#include "storage/s3_client.h"

namespace shopbell::storage {

namespace {

using namespace std::chrono_literals;

class S3ClientTest : public ::testing::Test {
 protected:
  S3Answer call(S3Client& client, S3Operation operation) {
    const auto answer = runtime::run_to_end(loop_, client.call(std::move(operation)));
    EXPECT_TRUE(answer) << answer.error();
    return answer.value_or(S3Answer{});
  }
  S3Answer call(S3Operation operation) { return call(client_, std::move(operation)); }

  boost::asio::io_context loop_;
  S3Client client_{loop_, real_server()};
};

TEST_F(S3ClientTest, puts_gets_and_deletes_an_object) {
  EXPECT_EQ(call({.method = "PUT", .name = "a/b c+ä~.csv", .body = "0123456789"}).http.status, 200);
  EXPECT_EQ(call({.name = "a/b c+ä~.csv"}).http.body, "0123456789");
  const auto part = call({.name = "a/b c+ä~.csv", .headers = {{"range", "bytes=2-4"}}});
  EXPECT_EQ(part.http.status, 206);
  EXPECT_EQ(part.http.body, "234");
  const auto head = call({.method = "HEAD", .name = "a/b c+ä~.csv"});
  EXPECT_EQ(head.http.header("content-length"), "10");
  EXPECT_EQ(call({.method = "DELETE", .name = "a/b c+ä~.csv"}).http.status, 204);
  const auto gone = call({.name = "a/b c+ä~.csv"});
  EXPECT_EQ(gone.http.status, 404);
  EXPECT_EQ(gone.code, "NoSuchKey");
}

TEST_F(S3ClientTest, a_wrong_secret_is_refused_without_retries) {
  S3Settings settings = real_server();
  settings.credentials.secret += "x";
  S3Client other{loop_, settings};
  const auto before = std::chrono::steady_clock::now();
  const auto answer = call(other, {.name = "a"});
  EXPECT_EQ(answer.http.status, 403);
  EXPECT_EQ(answer.code, "SignatureDoesNotMatch");
  EXPECT_FALSE(answer.repeated);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 5s);
}

TEST_F(S3ClientTest, uploads_in_parts) {
  const auto begun = call({.method = "POST", .name = "parts/1", .query = {{"uploads", ""}}});
  std::string_view xml = begun.http.body;
  const std::string id = element_of(xml, "UploadId").value_or("");
  ASSERT_FALSE(id.empty()) << begun.http.body;
  const std::string part(limits::kS3PartBytes, 'p');
  const auto first = call({.method = "PUT",
                           .name = "parts/1",
                           .query = {{"partNumber", "1"}, {"uploadId", id}},
                           .body = part});
  EXPECT_EQ(first.http.status, 200);
  const auto second = call({.method = "PUT",
                            .name = "parts/1",
                            .query = {{"partNumber", "2"}, {"uploadId", id}},
                            .body = "tail"});
  EXPECT_EQ(call({.method = "HEAD", .name = "parts/1"}).http.status, 404);
  const auto whole =
      call({.method = "POST",
            .name = "parts/1",
            .query = {{"uploadId", id}},
            .headers = {{"content-type", "application/xml"}},
            .body = std::format(
                "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>{}</ETag>"
                "</Part><Part><PartNumber>2</PartNumber><ETag>{}</ETag></Part>"
                "</CompleteMultipartUpload>",
                first.http.header("etag"), second.http.header("etag"))});
  EXPECT_EQ(whole.http.status, 200) << whole.http.body;
  const auto tail =
      call({.name = "parts/1", .headers = {{"range", std::format("bytes={}-", part.size() - 2)}}});
  EXPECT_EQ(tail.http.body, "pptail");
}

TEST_F(S3ClientTest, makes_presigned_links_that_expire) {
  call({.method = "PUT", .name = "links/1", .body = "file"});
  net::HttpClient anonymous{loop_, {}};
  const auto follow = [&](const std::string& url) {
    return runtime::run_to_end(loop_, anonymous.request({.url = url}));
  };
  const std::string link = client_.link("links/1", "kunden \"ä\".csv", 60s);
  const auto answer = follow(link);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200) << answer->body;
  EXPECT_EQ(answer->body, "file");
  EXPECT_EQ(answer->header("content-disposition"),
            "attachment; filename*=UTF-8''kunden%20%22%C3%A4%22.csv");

  std::string changed = link;
  changed.back() = changed.back() == '0' ? '1' : '0';
  EXPECT_EQ(follow(changed)->status, 403);
  const std::string brief = client_.link("links/1", "x", 1s);
  std::this_thread::sleep_for(2100ms);
  EXPECT_EQ(follow(brief)->status, 403);
}

TEST_F(S3ClientTest, retries_an_unreachable_server_before_it_gives_up) {
  S3Settings settings = real_server();
  settings.endpoint = "http://127.0.0.1:1";
  S3Client other{loop_, settings};
  const auto before = std::chrono::steady_clock::now();
  const auto answer = runtime::run_to_end(loop_, other.call({.name = "a"}));
  EXPECT_FALSE(answer);
  EXPECT_GT(std::chrono::steady_clock::now() - before, limits::kS3Patience / 3);
}

}  // namespace
}  // namespace shopbell::storage
