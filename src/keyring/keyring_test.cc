#include "keyring/keyring.h"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <ranges>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "keyring/secret_file.h"

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

TEST_F(KeyringTest, a_leftover_file_of_a_killed_process_does_not_block_rotations) {
  Keyring::create(file_, system_clock().now());
  std::ofstream{folder_ / "keyring.new"} << "half a ke";
  Keyring::rotate(file_, system_clock().now());
  EXPECT_EQ(Keyring::load(file_).describe().size(), 2U);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "keyring.new"));
}

TEST_F(KeyringTest, a_failed_write_leaves_no_file_behind) {
  struct rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit small{.rlim_cur = 10, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(write_secret_file(file_, std::string(100, 'x')), std::runtime_error);
  EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_FALSE(std::filesystem::exists(file_));
  const Keyring ring = Keyring::create(file_, system_clock().now());
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(Keyring::rotate(file_, system_clock().now()), std::runtime_error);
  EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "keyring.new"));
  EXPECT_EQ(Keyring::load(file_).hash(Purpose::links, "x"), ring.hash(Purpose::links, "x"));
}

TEST_F(KeyringTest, short_lived_values_are_accepted_under_recent_keys_only) {
  using std::chrono::hours;
  const Instant now = system_clock().now();
  Keyring::create(file_, now - hours{100});
  Keyring::rotate(file_, now - hours{50});  // takes over 49 hours ago
  Keyring::rotate(file_, now - hours{6});   // takes over 5 hours ago
  Keyring::rotate(file_, now);              // takes over in an hour
  const Keyring ring = Keyring::load(file_);
  const auto all = ring.hashes(Purpose::links, "x");
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(ring.in_force(), 1U);
  const auto accepted = [&](hours life) {
    const auto recent = ring.recent_hashes(Purpose::links, "x", life);
    EXPECT_TRUE(std::ranges::equal(all | std::views::take(recent.size()), recent));
    return recent.size();
  };
  EXPECT_EQ(accepted(hours{0}), 2U);  // replaced 5 hours ago; the margin is one hour
  EXPECT_EQ(accepted(hours{3}), 2U);
  EXPECT_EQ(accepted(hours{5}), 3U);
  EXPECT_EQ(accepted(hours{47}), 3U);
  EXPECT_EQ(accepted(hours{49}), 4U);
}

TEST_F(KeyringTest, an_older_key_can_be_retired) {
  const auto long_ago = system_clock().now() - std::chrono::hours{48};
  const Keyring first = Keyring::create(file_, long_ago);
  const auto sealed = first.seal("whsec_x", "type 1");
  Keyring::rotate(file_, long_ago);
  Keyring::rotate(file_, long_ago);
  const Keyring before = Keyring::load(file_);
  EXPECT_EQ(before.open(sealed, "type 1").value().key, 1);
  EXPECT_EQ(before.id_in_force(), 3);
  EXPECT_THROW(Keyring::retire(file_, 3), std::runtime_error);
  EXPECT_THROW(Keyring::retire(file_, 4), std::runtime_error);

  Keyring::retire(file_, 2);
  EXPECT_EQ(Keyring::load(file_).ids(), (std::vector<std::int64_t>{3, 1}));
  EXPECT_EQ(Keyring::load(file_).unseal(sealed, "type 1"), "whsec_x");

  // The part of the first key that hashes addresses stays forever.
  Keyring::retire(file_, 1);
  const Keyring after = Keyring::load(file_);
  EXPECT_EQ(after.ids(), std::vector<std::int64_t>{3});
  EXPECT_EQ(after.unseal(sealed, "type 1"), std::nullopt);
  EXPECT_EQ(after.hashes(Purpose::api_keys, "x"), std::vector{after.hash(Purpose::api_keys, "x")});
  EXPECT_EQ(after.lasting_hash("x"), first.lasting_hash("x"));
  EXPECT_EQ(after.in_force(), 0U);
  EXPECT_TRUE(after.describe().back().addresses_only);
  EXPECT_THROW(Keyring::retire(file_, 1), std::runtime_error);
  Keyring::rotate(file_, long_ago);
  EXPECT_EQ(Keyring::load(file_).lasting_hash("x"), first.lasting_hash("x"));
  EXPECT_EQ(Keyring::load(file_).id_in_force(), 4);
}

}  // namespace
}  // namespace shopbell::keyring
