#include "compress/unpacker.h"

#include <gtest/gtest.h>

namespace shopbell::compress {

namespace {

std::string sample() {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "row " + std::to_string(i * 7919 % 10007) + ",bell\r\n";
  return text;
}

// Feeds `packed` in pieces of `piece` bytes.
std::expected<std::string, InflateFault> unpacked(Coding coding, std::string_view packed,
                                                  std::size_t piece, std::size_t room = 4096) {
  Unpacker unpacker{coding};
  std::string all;
  for (std::size_t at = 0; at < packed.size(); at += piece) {
    std::string_view block = packed.substr(at, piece);
    while (!block.empty()) {
      std::string plain;
      if (const auto done = unpacker.unpack(block, plain, room); !done)
        return std::unexpected{done.error()};
      all += plain;
    }
  }
  if (!unpacker.is_whole()) return std::unexpected{InflateFault::malformed};
  return all;
}

TEST(Unpacker, RoundTripsWithAnyPieceSize) {
  const std::string text = sample();
  for (const Coding coding : {Coding::identity, Coding::gzip, Coding::zstd}) {
    const std::string packed =
        coding == Coding::identity ? text : deflate(coding, text) + deflate(coding, "the end");
    const std::string whole = coding == Coding::identity ? text : text + "the end";
    for (const std::size_t piece : {1, 2, 3, 5, 1000, 1000000})
      EXPECT_EQ(unpacked(coding, packed, piece), whole) << name_of(coding) << " by " << piece;
  }
}

TEST(Unpacker, RejectsTruncatedOrUncompressedInput) {
  for (const Coding coding : {Coding::gzip, Coding::zstd}) {
    const std::string packed = deflate(coding, sample());
    for (const std::size_t length : {std::size_t{1}, std::size_t{3}, packed.size() - 1})
      EXPECT_FALSE(unpacked(coding, packed.substr(0, length), 100)) << length;
    EXPECT_FALSE(unpacked(coding, "", 1));
    EXPECT_EQ(unpacked(coding, "email\r\na@example.com\r\n", 100).error(), InflateFault::malformed);
    EXPECT_EQ(unpacked(coding, packed + "more", 100).error(), InflateFault::malformed);
  }
}

TEST(Unpacker, DetectsADecompressionBomb) {
  for (const Coding coding : {Coding::gzip, Coding::zstd}) {
    const std::string packed = deflate(coding, std::string(64 << 20, 'a'));
    EXPECT_EQ(unpacked(coding, packed, 4096).error(), InflateFault::bomb);
  }
}

}  // namespace

}  // namespace shopbell::compress
