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

TEST(Packer, gzip_is_one_text_however_it_came) {
  std::string whole;
  for (const auto& piece : many_pieces()) whole += piece;
  EXPECT_EQ(inflate(Coding::gzip, packed(Packing::gzip, many_pieces()), 1 << 22), whole);
  EXPECT_EQ(inflate(Coding::gzip, packed(Packing::gzip, {}), 100), "");
  EXPECT_EQ(packed(Packing::none, {"a", "b"}), "ab");
}

TEST(Packer, zip_names_its_one_file_at_both_ends) {
  const std::string bytes = packed(Packing::zip, {"one\n", "two\n"});
  EXPECT_TRUE(bytes.starts_with("PK\x03\x04"));
  EXPECT_EQ(bytes.substr(bytes.size() - 22, 4), "PK\x05\x06");
  EXPECT_NE(bytes.find("rows.csv"), bytes.rfind("rows.csv"));
  EXPECT_TRUE(packed(Packing::zip, {}).starts_with("PK\x03\x04"));
}

}  // namespace
}  // namespace shopbell::compress
