#include "base/digest.h"

#include <gtest/gtest.h>

namespace shopbell {
namespace {

// Test vectors of FIPS 180-4 and RFC 4231.
TEST(Digest, matches_the_published_vectors) {
  EXPECT_EQ(to_hex(sha256("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const std::vector<std::uint8_t> key(20, 0x0b);
  EXPECT_EQ(to_hex(hmac_sha256(key, "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
}

TEST(Digest, stream_and_whole_text_have_the_same_hash) {
  Sha256Stream stream;
  for (const auto* piece : {"", "a", "bc"}) stream.add(piece);
  EXPECT_EQ(stream.finish(), sha256("abc"));
}

TEST(Digest, hex_is_parsed_strictly) {
  EXPECT_EQ(from_hex("00ff10"), (std::vector<std::uint8_t>{0x00, 0xff, 0x10}));
  EXPECT_FALSE(from_hex("0"));
  EXPECT_FALSE(from_hex("0g"));
}

}  // namespace
}  // namespace shopbell
