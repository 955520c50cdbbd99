#include "keyring/keyring.h"

#include <fstream>

#include <gtest/gtest.h>

namespace shopbell::keyring {
namespace {

class KeyringTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() /
      ("keyring-" + to_hex(sha256(std::to_string(::getpid()))).substr(0, 12));
  std::filesystem::path file_ = folder_ / "keyring";
};

TEST_F(KeyringTest, comes_back_from_its_file) {
  const Keyring made = Keyring::create(file_, system_clock().now());
  const Keyring loaded = Keyring::load(file_);
  EXPECT_EQ(made.hash(Purpose::api_keys, "x"), loaded.hash(Purpose::api_keys, "x"));
  EXPECT_EQ(loaded.hashes(Purpose::api_keys, "x"),
            std::vector{loaded.hash(Purpose::api_keys, "x")});
  EXPECT_NE(loaded.hash(Purpose::api_keys, "x"), loaded.hash(Purpose::api_keys, "y"));
  EXPECT_EQ(std::filesystem::status(file_).permissions(), std::filesystem::perms{0600});
}

TEST_F(KeyringTest, never_replaces_a_ring) {
  Keyring::create(file_, system_clock().now());
  EXPECT_THROW(Keyring::create(file_, system_clock().now()), std::runtime_error);
}

TEST_F(KeyringTest, refuses_what_others_may_read) {
  Keyring::create(file_, system_clock().now());
  std::filesystem::permissions(file_, std::filesystem::perms{0640});
  EXPECT_THROW(Keyring::load(file_), std::runtime_error);
}

TEST_F(KeyringTest, refuses_what_is_no_keyring) {
  EXPECT_THROW(Keyring::load(file_), std::runtime_error);
  for (const char* text : {"", "# only words\n", "1 2026-11-15T00:00:00.000Z abcd\n", "key\n"}) {
    std::ofstream{file_} << text;
    std::filesystem::permissions(file_, std::filesystem::perms{0600});
    EXPECT_THROW(Keyring::load(file_), std::runtime_error) << text;
  }
}

TEST_F(KeyringTest, an_older_key_still_counts) {
  const Keyring before = Keyring::create(file_, system_clock().now());
  std::ofstream{file_, std::ios::app} << "2 2027-01-01T00:00:00.000Z " << std::string(64, 'a')
                                      << "\n";
  const Keyring after = Keyring::load(file_);
  EXPECT_NE(after.hash(Purpose::api_keys, "x"), before.hash(Purpose::api_keys, "x"));
  EXPECT_EQ(after.hashes(Purpose::api_keys, "x").back(), before.hash(Purpose::api_keys, "x"));
}

}  // namespace
}  // namespace shopbell::keyring
