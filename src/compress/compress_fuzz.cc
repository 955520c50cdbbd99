// Fuzzes compression: no crash on any input, no output beyond the limit, and all data round-trips.
#include <cstdint>

#include "compress/compress.h"

namespace {

using shopbell::compress::Coding;
using shopbell::compress::InflateFault;

constexpr std::size_t kBytesMax = 65'536;

void check(Coding coding, std::string_view bytes) {
  const auto plain = shopbell::compress::inflate(coding, bytes, kBytesMax);
  if (plain && (plain->size() > kBytesMax || plain->capacity() > kBytesMax)) __builtin_trap();

  // The exact size as limit must succeed; a limit one byte lower must be refused.
  const std::string packed = shopbell::compress::deflate(coding, bytes);
  if (shopbell::compress::inflate(coding, packed, bytes.size()) != bytes) __builtin_trap();
  if (bytes.empty()) return;
  const auto refused = shopbell::compress::inflate(coding, packed, bytes.size() - 1);
  if (refused || refused.error() != InflateFault::too_large) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes{reinterpret_cast<const char*>(data), size};
  check(Coding::gzip, bytes);
  check(Coding::zstd, bytes);
  shopbell::compress::coding_of(bytes);
  shopbell::compress::choose(bytes);
  return 0;
}
