#include "compress/unpacker.h"

#include <array>
#include <new>
#include <stdexcept>

#define ZLIB_CONST  // makes zlib's input pointers const
#include <zlib.h>
#include <zstd.h>

#include "base/limits.h"
#include "compress/window.h"

namespace shopbell::compress {

namespace {

constexpr std::size_t kFrameMagic = 4;

using LargePiece = std::array<char, std::size_t{64} * 1024>;

// True for a data frame or a skippable frame. The library may also decode formats from before 2016,
// whose decoders ignore the window limit.
bool opens_frame(std::string_view bytes) {
  return bytes == "\x28\xb5\x2f\xfd" ||
         ((static_cast<unsigned char>(bytes.front()) & 0xf0U) == 0x50U &&
          bytes.substr(1) == "\x2a\x4d\x18");
}

}  // namespace

struct Unpacker::Gzip {
  Gzip() {
    if (inflateInit2(&stream, kGzipWindow) != Z_OK) throw std::bad_alloc{};
  }
  ~Gzip() { inflateEnd(&stream); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;
  z_stream stream{};
};

struct Unpacker::Zstd {
  Zstd() {
    if (context == nullptr) throw std::bad_alloc{};
    if (ZSTD_isError(ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, kZstdWindowLog)) != 0)
      throw std::runtime_error{"zstd rejected the window limit"};
  }
  ~Zstd() { ZSTD_freeDCtx(context); }
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;
  ZSTD_DCtx* context = ZSTD_createDCtx();
};

Unpacker::Unpacker(Coding coding) : coding_{coding} {
  if (coding == Coding::gzip) gzip_ = std::make_unique<Gzip>();
  if (coding == Coding::zstd) zstd_ = std::make_unique<Zstd>();
}

Unpacker::~Unpacker() = default;

bool Unpacker::is_whole() const {
  return coding_ == Coding::identity || (between_frames_ && frame_magic_.empty() && bytes_in_ > 0);
}

std::expected<void, InflateFault> Unpacker::unpack(std::string_view& packed, std::string& plain,
                                                   std::size_t room) {
  while (!packed.empty() && plain.size() < room) {
    const std::size_t before = plain.size();
    const std::size_t had = packed.size();
    if (const auto done = step(packed, plain); !done) return done;
    bytes_in_ += had - packed.size();
    bytes_out_ += plain.size() - before;
    if (bytes_out_ > limits::kInflationFree && bytes_out_ / limits::kInflationRatio > bytes_in_)
      return std::unexpected{InflateFault::bomb};
  }
  return {};
}

std::expected<void, InflateFault> Unpacker::step(std::string_view& packed, std::string& plain) {
  if (coding_ == Coding::gzip) return step_gzip(packed, plain);
  if (coding_ == Coding::zstd) return step_zstd(packed, plain);
  plain += packed;
  packed = {};
  return {};
}

std::expected<void, InflateFault> Unpacker::step_gzip(std::string_view& packed,
                                                      std::string& plain) {
  z_stream& stream = gzip_->stream;
  if (std::exchange(between_frames_, false) && inflateReset(&stream) != Z_OK)
    throw std::runtime_error{"zlib cannot reset its stream"};
  LargePiece piece;
  stream.next_in = reinterpret_cast<const Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(std::min<std::size_t>(packed.size(), 1U << 30));
  stream.next_out = reinterpret_cast<Bytef*>(piece.data());
  stream.avail_out = static_cast<uInt>(piece.size());
  const int status = ::inflate(&stream, Z_NO_FLUSH);
  if (status == Z_MEM_ERROR) throw std::bad_alloc{};
  if (status != Z_OK && status != Z_STREAM_END) return std::unexpected{InflateFault::malformed};
  packed.remove_prefix(
      static_cast<std::size_t>(reinterpret_cast<const char*>(stream.next_in) - packed.data()));
  plain.append(piece.data(), piece.size() - stream.avail_out);
  between_frames_ = status == Z_STREAM_END;
  return {};
}

std::expected<void, InflateFault> Unpacker::step_zstd(std::string_view& packed,
                                                      std::string& plain) {
  LargePiece piece;
  ZSTD_outBuffer output{piece.data(), piece.size(), 0};
  std::size_t expected = 1;
  const auto feed = [&](std::string_view& bytes) {
    ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
    expected = ZSTD_decompressStream(zstd_->context, &output, &input);
    bytes.remove_prefix(input.pos);
  };
  if (between_frames_) {
    const std::size_t wanted = std::min(kFrameMagic - frame_magic_.size(), packed.size());
    frame_magic_ += packed.substr(0, wanted);
    packed.remove_prefix(wanted);
    if (frame_magic_.size() < kFrameMagic) return {};
    if (!opens_frame(frame_magic_)) return std::unexpected{InflateFault::malformed};
    between_frames_ = false;
    ZSTD_DCtx_reset(zstd_->context, ZSTD_reset_session_only);
    const std::string magic = std::exchange(frame_magic_, {});
    std::string_view left = magic;
    feed(left);
  } else {
    feed(packed);
  }
  if (ZSTD_isError(expected) != 0) return std::unexpected{InflateFault::malformed};
  plain.append(piece.data(), output.pos);
  between_frames_ = expected == 0;
  return {};
}

}  // namespace shopbell::compress
