#include "outgoing/sealed_secrets.h"

#include <gtest/gtest.h>

#include "base/digest.h"
#include "outgoing/signing_secret.h"

namespace shopbell::outgoing {
namespace {

TEST(SealedSecrets, AllValuesCanBeEncryptedUnderTheKeyInForce) {
  const auto file = std::filesystem::path{::testing::TempDir()} / "sealed_secrets_test_keyring";
  std::filesystem::remove(file);
  const Instant long_ago = system_clock().now() - std::chrono::hours{48};
  const auto before = keyring::Keyring::create(file, long_ago);
  const Uuid owner = Uuid::v7(long_ago);
  SealedSecrets secrets{.owner = owner,
                        .headers = {{.name = "X-Token", .value = "sesame", .sealed = ""}},
                        .signing_secret = before.seal("new", secret_context(1, owner)),
                        .previous_signing_secret = before.seal("old", secret_context(1, owner))};
  seal_headers(before, 1, owner, secrets.headers);
  EXPECT_EQ(keys_of(before, 1, secrets), std::set{1});
  EXPECT_FALSE(reseal(before, 1, secrets));

  keyring::Keyring::rotate(file, long_ago);
  const auto after = keyring::Keyring::load(file);
  EXPECT_EQ(keys_of(after, 1, secrets), std::set{1});
  EXPECT_TRUE(reseal(after, 1, secrets));
  EXPECT_EQ(keys_of(after, 1, secrets), std::set{2});
  EXPECT_FALSE(reseal(after, 1, secrets));
  EXPECT_EQ(after.unseal(*secrets.signing_secret, secret_context(1, owner)), "new");
  EXPECT_EQ(after.unseal(*secrets.previous_signing_secret, secret_context(1, owner)), "old");
  const auto header = from_hex(secrets.headers[0].sealed).value();
  EXPECT_EQ(after.unseal(header, header_context(1, owner, "X-Token")), "sesame");

  // A value that no key decrypts is left as it is.
  secrets.signing_secret = std::vector<std::uint8_t>(40);
  EXPECT_EQ(keys_of(after, 1, secrets), (std::set{0, 2}));
  EXPECT_FALSE(reseal(after, 1, secrets));
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace shopbell::outgoing
