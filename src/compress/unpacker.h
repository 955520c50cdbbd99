// Unpacker: decompresses a file as a stream, in constant memory: gzip (several members), zstd
// (several frames) or identity.
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

  // Consumes `packed` from the front and appends to `plain`, until `packed` is empty or `plain` has
  // at least `room` bytes. Fails with `bomb` beyond limits::kInflationFree and kInflationRatio.
  std::expected<void, InflateFault> unpack(std::string_view& packed, std::string& plain,
                                           std::size_t room);
  // True when the input so far is a complete file.
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
  std::string frame_magic_;     // first bytes of a zstd frame, until the magic number is complete
  bool between_frames_ = true;  // also true between gzip members
  std::uint64_t bytes_in_ = 0;
  std::uint64_t bytes_out_ = 0;
};

}  // namespace shopbell::compress
