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

TEST_F(KeyringTest, is_loaded_from_its_file) {
  const Keyring made = Keyring::create(file_, system_clock().now());
  const Keyring loaded = Keyring::load(file_);
  EXPECT_EQ(made.hash(Purpose::api_keys, "x"), loaded.hash(Purpose::api_keys, "x"));
  EXPECT_EQ(loaded.hashes(Purpose::api_keys, "x"),
            std::vector{loaded.hash(Purpose::api_keys, "x")});
  EXPECT_NE(loaded.hash(Purpose::api_keys, "x"), loaded.hash(Purpose::api_keys, "y"));
  EXPECT_EQ(std::filesystem::status(file_).permissions(), std::filesystem::perms{0600});
}

TEST_F(KeyringTest, create_never_overwrites_a_file) {
  Keyring::create(file_, system_clock().now());
  EXPECT_THROW(Keyring::create(file_, system_clock().now()), std::runtime_error);
}

TEST_F(KeyringTest, rejects_a_file_that_other_users_can_read) {
  Keyring::create(file_, system_clock().now());
  std::filesystem::permissions(file_, std::filesystem::perms{0640});
  EXPECT_THROW(Keyring::load(file_), std::runtime_error);
}

TEST_F(KeyringTest, rejects_a_missing_or_malformed_file) {
  EXPECT_THROW(Keyring::load(file_), std::runtime_error);
  for (const char* text : {"", "# only words\n", "1 2026-11-15T00:00:00.000Z abcd\n", "key\n"}) {
    std::ofstream{file_} << text;
    std::filesystem::permissions(file_, std::filesystem::perms{0600});
    EXPECT_THROW(Keyring::load(file_), std::runtime_error) << text;
  }
}

TEST_F(KeyringTest, a_new_key_takes_over_after_an_hour_and_older_keys_stay_valid) {
  const auto long_ago = system_clock().now() - std::chrono::hours{48};
  const Keyring before = Keyring::create(file_, long_ago);
  const Sha256 old_hash = before.hash(Purpose::api_keys, "x");

  Keyring::rotate(file_, system_clock().now());
  const Keyring waiting = Keyring::load(file_);
  EXPECT_EQ(waiting.hash(Purpose::api_keys, "x"), old_hash);
  ASSERT_EQ(waiting.hashes(Purpose::api_keys, "x").size(), 2U);
  EXPECT_EQ(waiting.hashes(Purpose::api_keys, "x").back(), old_hash);
  EXPECT_EQ(waiting.in_force(), 1U);

  Keyring::rotate(file_, long_ago);
  const Keyring after = Keyring::load(file_);
  EXPECT_EQ(after.in_force(), 0U);
  EXPECT_NE(after.hash(Purpose::api_keys, "x"), old_hash);
  EXPECT_EQ(after.hashes(Purpose::api_keys, "x").back(), old_hash);
  ASSERT_EQ(after.describe().size(), 3U);
  EXPECT_EQ(after.describe().front().id, 3);
  EXPECT_EQ(std::filesystem::status(file_).permissions(), std::filesystem::perms{0600});
}

TEST_F(KeyringTest, each_purpose_has_its_own_keys) {
  const Keyring ring = Keyring::create(file_, system_clock().now());
  EXPECT_NE(ring.hash(Purpose::api_keys, "x"), ring.hash(Purpose::cursors, "x"));
  EXPECT_NE(ring.hash(Purpose::idempotency_keys, "x"), ring.hash(Purpose::answers, "x"));
}

TEST_F(KeyringTest, a_secret_opens_only_with_its_context_and_after_any_rotation) {
  const auto long_ago = system_clock().now() - std::chrono::hours{48};
  const auto sealed = Keyring::create(file_, long_ago).seal("whsec_x", "type 1");
  Keyring::rotate(file_, long_ago);
  const Keyring after = Keyring::load(file_);
  EXPECT_EQ(after.unseal(sealed, "type 1"), "whsec_x");
  EXPECT_EQ(after.unseal(sealed, "type 2"), std::nullopt);
  EXPECT_EQ(after.unseal(after.seal("y", "type 2"), "type 2"), "y");
  auto changed = sealed;
  changed.back() ^= 1;
  EXPECT_EQ(after.unseal(changed, "type 1"), std::nullopt);
}

}  // namespace
}  // namespace shopbell::keyring
