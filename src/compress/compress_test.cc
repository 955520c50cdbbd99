#include "compress/compress.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/limits.h"

namespace shopbell::compress {

void PrintTo(Coding coding, std::ostream* out) { *out << name_of(coding); }

namespace {

using std::string_literals::operator""s;

constexpr std::size_t kMebibyte = std::size_t{1024} * 1024;
constexpr std::size_t kAmple = 64 * kMebibyte;

std::string fault_name(InflateFault fault) {
  switch (fault) {
    case InflateFault::malformed:
      return "malformed";
    case InflateFault::too_large:
      return "too large";
    case InflateFault::bomb:
      return "bomb";
  }
  return "?";
}

// The decompressed bytes, or the name of the fault.
std::string inflated(Coding coding, std::string_view bytes, std::size_t bytes_max = kAmple) {
  return inflate(coding, bytes, bytes_max)
      .or_else([](InflateFault fault) {
        return std::expected<std::string, InflateFault>{fault_name(fault)};
      })
      .value();
}

std::string some_json() {
  std::string text = "[";
  for (int i = 0; i < 300; ++i) text += std::format(R"({{"id":{},"name":"n{}"}},)", i * i, i * 7);
  return text + "null]";
}

std::string noise(std::size_t bytes) {
  std::minstd_rand random{7};
  std::string text(bytes, '\0');
  for (char& c : text) c = static_cast<char>(random() >> 8);
  return text;
}

// A zstd frame with one raw block "x" and a window of 2^(10 + byte / 8).
std::string zstd_frame_of_window(char window) {
  return "\x28\xb5\x2f\xfd\0"s + window + "\x09\0\0x"s;
}

class Inflate : public testing::TestWithParam<Coding> {};

INSTANTIATE_TEST_SUITE_P(codings, Inflate, testing::Values(Coding::gzip, Coding::zstd),
                         [](const auto& test) { return std::string{name_of(test.param)}; });

TEST_P(Inflate, round_trips) {
  for (const std::string& plain :
       {""s, "x"s, "\0\0"s, some_json(), noise(100'000), std::string(kMebibyte, 'a'),
        noise(3 * kMebibyte) + std::string(kMebibyte, 'b')}) {
    EXPECT_TRUE(inflated(GetParam(), deflate(GetParam(), plain)) == plain) << plain.size();
  }
  EXPECT_LT(deflate(GetParam(), some_json()).size(), some_json().size() / 3);
}

TEST_P(Inflate, round_trips_any_bytes_with_an_exact_limit) {
  EXPECT_TRUE(rc::check([](const std::string& unit, std::uint8_t times) {
    std::string plain;
    for (int i = 0; i <= times; ++i) plain += unit;
    const std::string packed = deflate(GetParam(), plain);
    RC_ASSERT(inflated(GetParam(), packed, plain.size()) == plain);
    if (plain.empty()) return;
    RC_ASSERT(inflated(GetParam(), packed, plain.size() - 1) == "too large");
  }));
}

TEST_P(Inflate, stops_at_the_callers_limit) {
  const std::string packed = deflate(GetParam(), std::string(10'000'000, '\0'));
  EXPECT_LT(packed.size(), 20'000U);
  EXPECT_EQ(inflated(GetParam(), packed, kMebibyte), "too large");
  EXPECT_EQ(inflated(GetParam(), packed, 0), "too large");
  // inflate() stops at the limit, before it reaches the truncated end.
  const std::string_view cut = std::string_view{packed}.substr(0, packed.size() - 1);
  EXPECT_EQ(inflated(GetParam(), cut, kMebibyte), "too large");
  EXPECT_EQ(inflated(GetParam(), deflate(GetParam(), ""), 0), "");
}

TEST_P(Inflate, stops_a_bomb_before_a_high_limit) {
  const std::string packed = deflate(GetParam(), std::string(50'000'000, '\0'));
  EXPECT_EQ(inflated(GetParam(), packed), "bomb");
  EXPECT_EQ(inflated(GetParam(), std::string_view{packed}.substr(0, packed.size() - 1)), "bomb");
  // Many small members or frames together count as one bomb.
  std::string many;
  for (int i = 0; i < 40; ++i) many += deflate(GetParam(), std::string(100'000, '\0'));
  EXPECT_EQ(inflated(GetParam(), many), "bomb");
}

TEST_P(Inflate, allows_any_ratio_up_to_the_free_size_and_the_ratio_limit_beyond) {
  const std::string free(limits::kInflationFree, '\0');
  EXPECT_TRUE(inflated(GetParam(), deflate(GetParam(), free)) == free);
  EXPECT_EQ(inflated(GetParam(), deflate(GetParam(), free + '\0')), "bomb");

  const std::string fair = noise(4 * limits::kInflationFree / limits::kInflationRatio) +
                           std::string(3 * limits::kInflationFree, '\0');
  EXPECT_TRUE(inflated(GetParam(), deflate(GetParam(), fair)) == fair);
}

TEST_P(Inflate, allocates_no_more_than_the_limit) {
  const std::string plain(300'000, 'a');  // far more than the compressed size suggests
  for (const std::size_t most : {plain.size(), plain.size() + 1, 2 * plain.size() - 1}) {
    const auto text = inflate(GetParam(), deflate(GetParam(), plain), most);
    ASSERT_TRUE(text);
    EXPECT_LE(text->capacity(), most);
  }
}

TEST_P(Inflate, rejects_truncated_input) {
  const std::string packed = deflate(GetParam(), some_json());
  ASSERT_GT(packed.size(), 1000U);
  for (std::size_t size = 0; size < packed.size(); ++size) {
    ASSERT_EQ(inflated(GetParam(), std::string_view{packed}.substr(0, size)), "malformed") << size;
  }
}

TEST_P(Inflate, rejects_garbage) {
  const std::string packed = deflate(GetParam(), some_json());
  const Coding other = GetParam() == Coding::gzip ? Coding::zstd : Coding::gzip;
  for (const std::string& bytes :
       {""s, "x"s, "\0"s, "{\"a\":1}"s, noise(5000), deflate(other, "x"), "\0"s + packed}) {
    EXPECT_EQ(inflated(GetParam(), bytes), "malformed");
  }
  for (const std::string& after : {"\0"s, "x"s, noise(50), deflate(other, "x")}) {
    EXPECT_EQ(inflated(GetParam(), packed + after), "malformed");
  }
}

TEST_P(Inflate, survives_any_changed_byte) {
  const std::string packed = deflate(GetParam(), some_json());
  for (std::size_t at = 0; at < packed.size(); ++at) {
    std::string changed = packed;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    const auto text = inflate(GetParam(), changed, kMebibyte);
    EXPECT_LE(text.value_or("").size(), kMebibyte);
  }
  // A failed call must not affect the next one.
  EXPECT_EQ(inflated(GetParam(), packed), some_json());
}

TEST_P(Inflate, joins_concatenated_members_or_frames) {
  const std::string one = deflate(GetParam(), "one ");
  const std::string none = deflate(GetParam(), "");
  const std::string two = deflate(GetParam(), "two");
  EXPECT_EQ(inflated(GetParam(), one + none + two), "one two");
  EXPECT_EQ(inflated(GetParam(), one + none + two, 7), "one two");
  EXPECT_EQ(inflated(GetParam(), one + none + two, 6), "too large");
  EXPECT_EQ(inflated(GetParam(), (one + two).substr(0, one.size() + two.size() - 1)), "malformed");
}

TEST(InflateGzip, accepts_all_optional_header_fields) {
  // An extra field, a file name and a comment, which other compressors write.
  const std::string packed = deflate(Coding::gzip, "hello");
  std::string head = packed.substr(0, 10);
  head[3] = 0x04 | 0x08 | 0x10;
  EXPECT_EQ(
      inflated(Coding::gzip, head + "\x02\0ab"s + "name\0"s + "comment\0"s + packed.substr(10)),
      "hello");
}

TEST(InflateGzip, rejects_a_wrong_checksum_or_size) {
  const std::string packed = deflate(Coding::gzip, "hello");
  for (std::size_t from_end = 1; from_end <= 8; ++from_end) {
    std::string changed = packed;
    changed[changed.size() - from_end] ^= 1;
    EXPECT_EQ(inflated(Coding::gzip, changed), "malformed") << from_end;
  }
}

TEST(InflateGzip, rejects_zlib_and_raw_deflate) {
  EXPECT_EQ(inflated(Coding::gzip, "\x78\x9c\xcb\x48\xcd\xc9\xc9\x07\x00\x06\x2c\x02\x15"s),
            "malformed");
  EXPECT_EQ(inflated(Coding::gzip, "\xcb\x48\xcd\xc9\xc9\x07\x00"s), "malformed");
}

TEST(InflateZstd, skips_skippable_frames) {
  const std::string skipped = "\x5f\x2a\x4d\x18\x03\0\0\0abc"s;
  const std::string packed = deflate(Coding::zstd, "hello");
  EXPECT_EQ(inflated(Coding::zstd, skipped + packed + skipped), "hello");
  EXPECT_EQ(inflated(Coding::zstd, skipped), "");
  EXPECT_EQ(inflated(Coding::zstd, packed + skipped.substr(0, 10)), "malformed");
}

TEST(InflateZstd, accepts_windows_up_to_8_MiB) {
  EXPECT_EQ(inflated(Coding::zstd, zstd_frame_of_window(13 * 8)), "x");
  EXPECT_EQ(inflated(Coding::zstd, zstd_frame_of_window(13 * 8 + 1)), "malformed");
  EXPECT_EQ(inflated(Coding::zstd, zstd_frame_of_window(14 * 8)), "malformed");
}

TEST(InflateZstd, rejects_formats_older_than_the_rfc) {
  // A frame of format 0.7: one raw block "x" and the end mark.
  EXPECT_EQ(inflated(Coding::zstd, "\x27\xb5\x2f\xfd\0\x68\x40\0\x01x\xc0\0\0"s), "malformed");
}

TEST(InflateIdentity, copies_the_bytes_within_the_limit) {
  EXPECT_EQ(inflated(Coding::identity, "abc", 3), "abc");
  EXPECT_EQ(inflated(Coding::identity, "abc", 2), "too large");
  EXPECT_EQ(deflate(Coding::identity, "abc"), "abc");
}

TEST(Coding, is_parsed_from_its_name) {
  EXPECT_EQ(coding_of("gzip"), Coding::gzip);
  EXPECT_EQ(coding_of("GZip"), Coding::gzip);
  EXPECT_EQ(coding_of("x-gzip"), Coding::gzip);
  EXPECT_EQ(coding_of("ZSTD"), Coding::zstd);
  EXPECT_EQ(coding_of("identity"), Coding::identity);
  for (const char* name : {"", "br", "deflate", "compress", "gzip ", "gzi", "gzipp", "*"}) {
    EXPECT_EQ(coding_of(name), std::nullopt) << name;
  }
  EXPECT_EQ(name_of(Coding::gzip), "gzip");
  EXPECT_EQ(name_of(Coding::zstd), "zstd");
  EXPECT_EQ(name_of(Coding::identity), "identity");
}

TEST(Choose, follows_the_weights_of_the_header) {
  using enum Coding;
  const std::vector<std::pair<std::string_view, Coding>> cases{
      {"", identity},
      {"gzip", gzip},
      {"x-gzip", gzip},
      {"zstd", zstd},
      {"identity", identity},
      {"br, deflate", identity},
      {"gzip, deflate, br, zstd", zstd},
      {"GZIP;Q=0.5 , br", gzip},
      {"gzip, zstd;q=0.9", gzip},
      {"gzip;q=0.8, zstd;q=0.800", zstd},
      {"gzip;q=0.001", gzip},
      {"gzip;q=1.000\t;", identity},  // a parameter without a name
      {"*", zstd},
      {"*;q=0.1", zstd},
      {"*;q=0", identity},
      {"zstd;q=0, *", gzip},
      {"gzip;q=0.5, *;q=0.2", gzip},
      {"gzip;q=0.5, *;q=0.8", zstd},
      {"gzip;q=0.5, *;q=0", gzip},
      {"gzip;q=0, zstd;q=0.000", identity},
      {"gzip;q=0, zstd;q=0, *", identity},
      {"identity, gzip", gzip},
      {"identity;q=1, gzip;q=0.5", identity},
      {"identity;q=0.5, gzip;q=0.5", gzip},
      {"identity;q=0, gzip", gzip},
      {"identity;q=0", identity},  // no other coding is accepted
      {"gzip;q=0, x-gzip", identity},
      {"gzip, gzip;q=0", identity},
      {" ,, gzip ,\t", gzip},
      {"gzip ; q=1.", gzip},
      {"gzip;\tq=0.5", gzip},
  };
  for (const auto& [header, coding] : cases) EXPECT_EQ(choose(header), coding) << header;
}

TEST(Choose, falls_back_to_identity_on_a_malformed_header) {
  for (const std::string_view header :
       {"gzip;", "gzip;q", "gzip;q=", "gzip;q=2", "gzip;q=1.001", "gzip;q=0.0001", "gzip;q=.5",
        "gzip;q=-1", "gzip;q=0,5", "gzip;q=1;q=1", "gzip;level=5", "gzip;q = 1", "gzip zstd",
        "gzip, ;q=1", "gzip, \"br\"", "gzip;q=0.x", "gzip, br;q=high", "gzip;q=05", "gzip\r\n"}) {
    EXPECT_EQ(choose(header), Coding::identity) << header;
  }
}

}  // namespace
}  // namespace shopbell::compress
