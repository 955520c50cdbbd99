#include "outgoing/signature.h"

#include <gtest/gtest.h>

namespace shopbell::outgoing {
namespace {

constexpr const char* kSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const Instant kAt{std::chrono::seconds{1614265330}};

TEST(Signature, matches_the_vector_of_standard_webhooks) {
  const auto signature = sign(std::array<std::string, 1>{kSecret}, "msg_p5jXN8AQM9LWM0D4loKWxJek",
                              kAt, R"({"test": 2432232314})");
  EXPECT_EQ(signature.timestamp, "1614265330");
  EXPECT_EQ(signature.signatures, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

TEST(Signature, has_one_signature_per_valid_secret) {
  const auto both = sign(std::array<std::string, 2>{kSecret, "whsec_Zm9vYmFy"}, "id", kAt, "{}");
  const auto first = sign(std::array<std::string, 1>{kSecret}, "id", kAt, "{}");
  EXPECT_TRUE(both.signatures.starts_with(first.signatures + " v1,")) << both.signatures;
}

TEST(Signature, skips_malformed_secrets) {
  EXPECT_EQ(sign(std::array<std::string, 2>{"whsec_?", "Zm9v"}, "id", kAt, "{}").signatures, "");
}

}  // namespace
}  // namespace shopbell::outgoing
