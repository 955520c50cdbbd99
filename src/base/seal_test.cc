#include "base/seal.h"

#include <gtest/gtest.h>

namespace shopbell {
namespace {

const Sha256 kKey = sha256("a key");

TEST(Seal, opens_only_with_its_key_and_context) {
  for (const std::string plain : {"", "x", "an answer with ünicode"}) {
    const auto sealed = seal(kKey, plain, "here");
    EXPECT_EQ(unseal(kKey, sealed, "here"), plain);
    EXPECT_EQ(unseal(sha256("another"), sealed, "here"), std::nullopt);
    EXPECT_EQ(unseal(kKey, sealed, "there"), std::nullopt);
  }
}

TEST(Seal, rejects_any_changed_bit_or_length) {
  const auto sealed = seal(kKey, "an answer", "");
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    auto changed = sealed;
    changed[i] ^= 1;
    EXPECT_EQ(unseal(kKey, changed, ""), std::nullopt) << i;
  }
  for (std::size_t length = 0; length < sealed.size(); ++length)
    EXPECT_EQ(unseal(kKey, std::span{sealed}.first(length), ""), std::nullopt) << length;
}

TEST(Seal, differs_for_equal_inputs) { EXPECT_NE(seal(kKey, "x", ""), seal(kKey, "x", "")); }

}  // namespace
}  // namespace shopbell
