#include <gtest/gtest.h>

#include "runtime/wait.h"
#include "storage/real_server.h"
#include "storage/s3.h"
#include "testing/process.h"

namespace shopbell::storage {

namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;

// Stops or restarts the server.
void services(const std::string& what) {
  shopbell::testing::run({"tools/services", what, from_environment("SHOPBELL_SERVICES")});
}

// A text in which no two ranges of a part's size are equal.
std::string numbered(std::size_t bytes) {
  std::string text(bytes, '\0');
  for (std::size_t i = 0; i < bytes; ++i)
    text[i] = static_cast<char>('a' + i % 23 + i / 65'536 % 3);
  return text;
}

class S3Test : public ::testing::Test {
 protected:
  template <class T>
  T run(asio::awaitable<T> work) {
    return runtime::run_to_end(loop_, std::move(work));
  }
  void run(asio::awaitable<void> work) { runtime::run_to_end(loop_, std::move(work)); }

  void put(const std::string& name, const std::string& text, std::size_t block_bytes) {
    const auto upload = run(storage_.create(name));
    for (std::size_t at = 0; at < text.size(); at += block_bytes)
      run(upload->write(text.substr(at, block_bytes)));
    run(upload->finish());
  }

  std::optional<std::string> get(const std::string& name, std::uint64_t offset = 0) {
    const auto download = run(storage_.open(name, offset));
    if (!download) return std::nullopt;
    std::string all;
    for (std::string block = run(download->read()); !block.empty(); block = run(download->read()))
      all += block;
    return all;
  }

  // Counts uploads of the name that are neither finished nor aborted.
  std::size_t unfinished(const std::string& name) {
    S3Operation list{.query = {{"uploads", ""}, {"prefix", name}}};
    const auto answer = run(client_.call(std::move(list)));
    std::string_view xml = answer->http.body;
    std::size_t count = 0;
    while (element_of(xml, "UploadId")) ++count;
    return count;
  }

  asio::io_context loop_;
  S3 storage_{real_server()};
  S3Client client_{loop_, real_server()};
};

TEST_F(S3Test, a_finished_file_can_be_read_from_any_byte) {
  const std::string small = "head and tail";
  put("exports/1/small", small, 5);
  EXPECT_EQ(get("exports/1/small"), small);
  EXPECT_EQ(get("exports/1/small", 9), "tail");
  EXPECT_EQ(get("exports/1/small", 13), "");
  put("exports/1/empty", "", 1);
  EXPECT_EQ(get("exports/1/empty"), "");

  const std::string large = numbered(2 * limits::kS3PartBytes + 12'345);
  put("exports/1/large", large, std::size_t{256} * 1024);
  EXPECT_TRUE(get("exports/1/large") == large);
  EXPECT_EQ(get("exports/1/large", large.size() - 5), large.substr(large.size() - 5));
  EXPECT_EQ(run(storage_.open("exports/1/large", 0))->size(), large.size());
  EXPECT_EQ(get("exports/1/none"), std::nullopt);
}

TEST_F(S3Test, stores_a_file_of_exactly_one_part_and_exactly_two) {
  for (const std::size_t parts : {1, 2}) {
    const std::string text = numbered(parts * limits::kS3PartBytes);
    put("exports/1/exact", text, limits::kS3PartBytes);
    EXPECT_TRUE(get("exports/1/exact") == text) << parts;
  }
}

TEST_F(S3Test, an_unfinished_upload_is_invisible_and_is_cleaned_up) {
  {
    const auto upload = run(storage_.create("exports/2/a-1"));
    run(upload->write(numbered(limits::kS3PartBytes + 1)));
    EXPECT_EQ(get("exports/2/a-1"), std::nullopt);
    EXPECT_EQ(unfinished("exports/2/a-1"), 1U);
  }
  for (int i = 0; i < 100 && unfinished("exports/2/a-1") != 0; ++i) run(runtime::sleep_for(50ms));
  EXPECT_EQ(unfinished("exports/2/a-1"), 0U);
}

TEST_F(S3Test, removing_also_deletes_leftovers_of_a_killed_process) {
  put("exports/3/a", "x", 1);
  for (const char* name : {"exports/3/a", "exports/3/ab"}) {
    S3Operation begin{.method = "POST", .name = name, .query = {{"uploads", ""}}};
    run(client_.call(std::move(begin)));
  }
  run(storage_.remove("exports/3/a"));
  EXPECT_EQ(get("exports/3/a"), std::nullopt);
  EXPECT_EQ(unfinished("exports/3/a"), 1U);  // the upload of exports/3/ab
  run(storage_.remove("exports/3/a"));       // removing a missing file is not an error
  run(storage_.remove("exports/3/ab"));
  EXPECT_EQ(unfinished("exports/3/a"), 0U);
}

TEST_F(S3Test, a_replaced_file_is_not_mixed_with_its_predecessor) {
  const std::string first = numbered(limits::kS3RangeBytes + 10);
  put("exports/4/a", first, first.size());
  const auto reading = run(storage_.open("exports/4/a", 0));
  EXPECT_TRUE(run(reading->read()) == first.substr(0, limits::kS3RangeBytes));
  put("exports/4/a", std::string(first.size(), 'x'), first.size());
  EXPECT_THROW(run(reading->read()), Error);
}

TEST_F(S3Test, resumes_when_the_server_is_back) {
  const std::string text = numbered(3 * limits::kS3PartBytes);
  const auto upload = run(storage_.create("exports/5/a"));
  run(upload->write(text.substr(0, limits::kS3PartBytes)));
  services("halt-s3");
  std::jthread later{[] {
    std::this_thread::sleep_for(1500ms);
    services("resume-s3");
  }};
  run(upload->write(text.substr(limits::kS3PartBytes)));
  run(upload->finish());
  EXPECT_TRUE(get("exports/5/a") == text);
}

TEST_F(S3Test, a_refusal_is_an_error_without_the_secret) {
  S3Settings settings = real_server();
  settings.bucket = "nobodys";
  S3 other{settings};
  const auto upload = run(other.create("a"));
  run(upload->write("x"));
  try {
    run(upload->finish());
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(std::string_view{error.what()}, "S3: refused with 404 NoSuchBucket");
  }
}

TEST_F(S3Test, names_cannot_leave_the_bucket) {
  EXPECT_THROW(run(storage_.create("../a")), Error);
  EXPECT_THROW(run(storage_.open("/a", 0)), Error);
  EXPECT_THROW(run(storage_.remove("a//b")), Error);
}

}  // namespace
}  // namespace shopbell::storage
