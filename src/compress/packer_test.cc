#include "compress/packer.h"

#include <gtest/gtest.h>

#include "compress/compress.h"

namespace shopbell::compress {
namespace {

std::string packed(Packing packing, const std::vector<std::string>& pieces) {
  Packer packer{packing, "rows.csv"};
  std::string bytes;
  for (const auto& piece : pieces) packer.add(piece, bytes);
  packer.finish(bytes);
  return bytes;
}

std::vector<std::string> many_pieces() {
  std::vector<std::string> pieces;
  for (int i = 0; i < 1000; ++i) pieces.push_back("row " + std::to_string(i * 7919) + "\n");
  pieces.push_back(std::string(300'000, 'x'));
  return pieces;
}

TEST(Packer, gzip_joins_all_pieces) {
  std::string whole;
  for (const auto& piece : many_pieces()) whole += piece;
  EXPECT_EQ(inflate(Coding::gzip, packed(Packing::gzip, many_pieces()), 1 << 22), whole);
  EXPECT_EQ(inflate(Coding::gzip, packed(Packing::gzip, {}), 100), "");
  EXPECT_EQ(packed(Packing::none, {"a", "b"}), "ab");
}

TEST(Packer, zip_has_a_local_header_and_a_central_directory) {
  const std::string bytes = packed(Packing::zip, {"one\n", "two\n"});
  EXPECT_TRUE(bytes.starts_with("PK\x03\x04"));
  EXPECT_EQ(bytes.substr(bytes.size() - 22, 4), "PK\x05\x06");
  EXPECT_NE(bytes.find("rows.csv"), bytes.rfind("rows.csv"));
  EXPECT_TRUE(packed(Packing::zip, {}).starts_with("PK\x03\x04"));
}

TEST(Packer, zip_can_have_several_and_empty_files) {
  Packer packer{Packing::zip, "a.json"};
  std::string bytes;
  packer.add("{}\n", bytes);
  packer.next("b.ndjson", bytes);
  packer.next("c.ndjson", bytes);
  for (const auto& piece : many_pieces()) packer.add(piece, bytes);
  packer.finish(bytes);
  const auto count = [&](std::string_view mark) {
    std::size_t found = 0;
    for (auto at = bytes.find(mark); at != std::string::npos; at = bytes.find(mark, at + 1))
      ++found;
    return found;
  };
  EXPECT_EQ(count("PK\x03\x04"), 3U);
  EXPECT_EQ(count("PK\x01\x02"), 3U);
  for (const auto* name : {"a.json", "b.ndjson", "c.ndjson"}) EXPECT_EQ(count(name), 2U) << name;
  // The central directory has the offset of each file.
  std::size_t place = 0;
  for (const auto* name : {"a.json", "b.ndjson", "c.ndjson"}) {
    const std::size_t entry = bytes.rfind(name) + std::string_view{name}.size() + 20;
    std::uint64_t at = 0;
    for (int i = 7; i >= 0; --i) at = at << 8 | static_cast<unsigned char>(bytes[entry + i]);
    EXPECT_EQ(at, bytes.find("PK\x03\x04", place)) << name;
    place = at + 1;
  }
  Packer gzip{Packing::gzip, "a"};
  EXPECT_THROW(gzip.next("b", bytes), std::logic_error);
}

}  // namespace
}  // namespace shopbell::compress
