#include "resources/custom_events/queue_signature.h"

#include <functional>

#include <gtest/gtest.h>

#include "base/digest.h"

namespace shopbell::custom_events {

namespace {

class QueueSignature : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove(file_); }
  void TearDown() override { std::filesystem::remove(file_); }

  keyring::Keyring ring() {
    std::filesystem::remove(file_);
    return keyring::Keyring::create(file_, system_clock().now());
  }

  // As the producer sends it and the consumer reads it.
  kafka::Message sent_with(const keyring::Keyring& ring) const {
    const kafka::NewMessage message{.partition = 2, .key = "k", .value = R"({"account":42})"};
    const kafka::Origin origin{.sender = Uuid::v7(system_clock().now()), .number = 7};
    return {.partition = message.partition,
            .offset = 100,
            .key = message.key,
            .value = message.value,
            .origin = origin,
            .signature = message_signer(ring, "intake")(message, origin.to_text())};
  }

  const std::filesystem::path file_ =
      std::filesystem::path{::testing::TempDir()} / "queue_signature_test_keyring";
};

TEST_F(QueueSignature, AMessageOfTheServiceIsValid) {
  const auto keys = ring();
  EXPECT_TRUE((SignatureCheck{keys, "intake"}.is_valid(sent_with(keys), {})));
  EXPECT_FALSE((SignatureCheck{keys, "other"}.is_valid(sent_with(keys), {})));
}

TEST_F(QueueSignature, AnyChangeMakesAMessageInvalid) {
  const auto keys = ring();
  const SignatureCheck check{keys, "intake"};
  const std::vector<std::function<void(kafka::Message&)>> changes{
      [](auto& message) { message.partition = 1; },
      [](auto& message) { message.key = "l"; },
      [](auto& message) { message.value = R"({"account":43})"; },
      [](auto& message) { message.value += " "; },
      [](auto& message) { ++message.origin->number; },
      [](auto& message) { message.origin->sender = Uuid::v7(system_clock().now()); },
      [](auto& message) { message.origin.reset(); },
      [](auto& message) { message.signature = ""; },
      [](auto& message) { message.signature = "no hexadecimal text"; },
      [](auto& message) { message.signature->pop_back(); },
      [](auto& message) { message.signature = to_hex(sha256("x")); }};
  // Even where unsigned messages are accepted.
  const SignedFrom all{{1, std::nullopt}, {2, std::nullopt}};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    auto message = sent_with(keys);
    changes[i](message);
    EXPECT_FALSE(check.is_valid(message, all)) << i;
  }
  const auto others = ring();
  EXPECT_FALSE(check.is_valid(sent_with(others), all));
}

TEST_F(QueueSignature, AnUnsignedMessageIsValidBelowItsPartitionsOffset) {
  const auto keys = ring();
  const SignatureCheck check{keys, "intake"};
  auto message = sent_with(keys);
  message.signature.reset();
  EXPECT_FALSE(check.is_valid(message, {}));
  EXPECT_FALSE(check.is_valid(message, {{1, std::nullopt}}));
  EXPECT_FALSE(check.is_valid(message, {{2, 100}}));
  EXPECT_TRUE(check.is_valid(message, {{2, 101}}));
  EXPECT_TRUE(check.is_valid(message, {{2, std::nullopt}}));
}

}  // namespace

}  // namespace shopbell::custom_events
