#include "resources/files/file_link.h"

#include <filesystem>

#include <gtest/gtest.h>

namespace shopbell::files {
namespace {

class FileLinkTest : public ::testing::Test {
 protected:
  FileLinkTest() {
    std::string made = (std::filesystem::temp_directory_path() / "shopbell-ring.XXXXXX").string();
    directory_ = ::mkdtemp(made.data());
  }
  ~FileLinkTest() override { std::filesystem::remove_all(directory_); }

  keyring::Keyring ring(const std::string& name) const {
    return keyring::Keyring::create(directory_ / name, system_clock().now());
  }

  std::filesystem::path directory_;
};

TEST_F(FileLinkTest, round_trips_and_refuses_every_altered_token) {
  const auto keys = ring("a");
  const FileLink link{.account = 8'123'456'789'012'345'678,
                      .key = Uuid::v7(system_clock().now()),
                      .job = Uuid::v7(system_clock().now()),
                      .until_s = 1'800'000'000};
  const std::string token = sign(keys, link);
  EXPECT_EQ(verify(keys, token), link);
  EXPECT_EQ(verify(ring("b"), token), std::nullopt);
  for (std::size_t i = 0; i < token.size(); ++i) {
    std::string other = token;
    other[i] = other[i] == '0' ? '1' : '0';
    EXPECT_EQ(verify(keys, other), std::nullopt) << i;
  }
  for (const std::string& other : {std::string{}, token.substr(2), token + "00", "x" + token})
    EXPECT_EQ(verify(keys, other), std::nullopt);
}

}  // namespace
}  // namespace shopbell::files
