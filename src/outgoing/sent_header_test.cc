#include "outgoing/sent_header.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/digest.h"
#include "outgoing/signing_secret.h"

namespace shopbell::outgoing {
namespace {

using Lines = std::vector<std::string>;

Lines faults_of(const json::Reading& reading) {
  Lines lines;
  try {
    reading.finish();
  } catch (const Problem& problem) {
    for (const auto& fault : problem.faults()) lines.push_back(fault.at + " " + fault.code);
  }
  return lines;
}

TEST(SentHeaders, without_a_value_keep_the_stored_one) {
  const SentHeaders before{{.name = "X-Token", .sealed = "00"}};
  json::Reading reading;
  SentHeaders headers{{.name = "x-token"}, {.name = "X-New", .value = "1"}};
  settle_headers(reading, before, headers);
  EXPECT_EQ(faults_of(reading), Lines{});
  EXPECT_EQ(headers[0].name, "X-Token");
  EXPECT_EQ(headers[0].sealed, "00");
  EXPECT_TRUE(differ(before, headers));
  headers.pop_back();
  EXPECT_FALSE(differ(before, headers));

  SentHeaders wrong{{.name = "a", .value = "1"}, {.name = "A", .value = "2"}, {.name = "b"}};
  settle_headers(reading, before, wrong);
  EXPECT_EQ(faults_of(reading), (Lines{"/headers/1/name duplicate", "/headers/2/value required"}));
}

TEST(SentHeaders, are_encrypted_for_one_owner) {
  const auto file = std::filesystem::path{::testing::TempDir()} / "sent_header_test_keyring";
  std::filesystem::remove(file);
  const auto keyring = keyring::Keyring::create(file, system_clock().now());
  std::filesystem::remove(file);
  const Uuid owner = Uuid::v7(system_clock().now());
  SentHeaders headers{{.name = "X-Token", .value = "open sesame"}};
  seal_headers(keyring, 1, owner, headers);
  EXPECT_FALSE(headers[0].value);
  const auto sealed = from_hex(headers[0].sealed).value();
  EXPECT_EQ(keyring.unseal(sealed, header_context(1, owner, "x-token")), "open sesame");
  EXPECT_EQ(keyring.unseal(sealed, header_context(2, owner, "x-token")), std::nullopt);
  EXPECT_EQ(keyring.unseal(sealed, header_context(1, Uuid{}, "x-token")), std::nullopt);
  EXPECT_EQ(keyring.unseal(sealed, secret_context(1, owner)), std::nullopt);
  const auto kept = headers_from_json(headers_to_json(headers));
  EXPECT_EQ(kept[0].name, "X-Token");
  EXPECT_EQ(kept[0].sealed, headers[0].sealed);
}

TEST(SentHeaders, cannot_replace_headers_of_the_service) {
  for (const auto* name : {"X-Token", "Authorization", "x_y"}) EXPECT_TRUE(is_own_header(name));
  for (const auto* name : {"", "Host", "content-LENGTH", "Webhook-Id", "a b", "a:b", "ä"})
    EXPECT_FALSE(is_own_header(name)) << name;
}

TEST(SigningSecret, has_the_format_of_standard_webhooks) {
  const std::string secret = new_signing_secret();
  EXPECT_TRUE(secret.starts_with("whsec_"));
  EXPECT_EQ((secret.size() - 6) % 4, 0U);
  EXPECT_NE(secret, new_signing_secret());
}

}  // namespace
}  // namespace shopbell::outgoing
