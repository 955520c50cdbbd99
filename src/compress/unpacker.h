// Unpacker: a packed file on its way out, piece by piece, however long it becomes: gzip (several
// members), zstd (several frames), or nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "compress/compress.h"

namespace shopbell::compress {

class Unpacker {
 public:
  explicit Unpacker(Coding coding);
  ~Unpacker();
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  // Takes from the front of `packed` and appends to `plain`, until nothing is left of the one or
  // the other has `room` bytes. What grows more than limits::kInflationRatio times is a bomb.
  std::expected<void, InflateFault> unpack(std::string_view& packed, std::string& plain,
                                           std::size_t room);
  // Whether a file may end here.
  bool is_whole() const;

 private:
  struct Gzip;
  struct Zstd;

  std::expected<void, InflateFault> step(std::string_view& packed, std::string& plain);
  std::expected<void, InflateFault> step_gzip(std::string_view& packed, std::string& plain);
  std::expected<void, InflateFault> step_zstd(std::string_view& packed, std::string& plain);

  const Coding coding_;
  std::unique_ptr<Gzip> gzip_;
  std::unique_ptr<Zstd> zstd_;
  std::string opening_;  // the first bytes of a zstd frame, until there are enough to know it
  bool between_ = true;  // members or frames
  std::uint64_t taken_ = 0;
  std::uint64_t given_ = 0;
};

}  // namespace shopbell::compress
