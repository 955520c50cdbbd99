#include "compress/compress.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

#define ZLIB_CONST  // makes zlib's input pointers const
#include <zlib.h>
#include <zstd.h>

#include "base/limits.h"
#include "base/text.h"
#include "compress/window.h"

namespace shopbell::compress {

namespace {

constexpr int kGzipLevel = 5;
constexpr int kGzipMemory = 8;  // zlib's default
constexpr int kZstdLevel = 3;

// Buffer for the library's output, before it is appended to the result.
using Piece = std::array<char, std::size_t{16} * 1024>;

// The decompressed bytes so far. Never allocates more than the limit.
class Plain {
 public:
  Plain(std::size_t bytes_sent, std::size_t bytes_max) {
    const std::size_t harmless =
        std::max(limits::kInflationFree, limits::kInflationRatio * bytes_sent);
    most_ = std::min(harmless, bytes_max);
    fault_ = bytes_max <= harmless ? InflateFault::too_large : InflateFault::bomb;
    make_room(4 * bytes_sent);  // JSON usually compresses to a quarter
  }

  std::expected<void, InflateFault> add(std::string_view piece) {
    if (piece.size() > most_ - text_.size()) return std::unexpected{fault_};
    if (text_.size() + piece.size() > text_.capacity()) {
      make_room(std::max(2 * text_.capacity(), text_.size() + piece.size()));
    }
    text_ += piece;
    return {};
  }

  std::string take() { return std::move(text_); }

 private:
  // Copies to a new string: reserve() of a non-empty string may double its capacity.
  void make_room(std::size_t bytes) {
    std::string larger;
    larger.reserve(std::min(bytes, most_));
    larger += text_;
    text_ = std::move(larger);
  }

  std::string text_;
  std::size_t most_;
  InflateFault fault_;
};

// Each thread reuses the contexts below, because creating one costs more than most bodies. Every
// call resets its context.

void expect_ok(int status) {
  if (status == Z_MEM_ERROR) throw std::bad_alloc{};
  if (status != Z_OK) throw std::runtime_error{"zlib rejected its parameters"};
}

struct GzipReader {
  GzipReader() { expect_ok(inflateInit2(&stream, kGzipWindow)); }
  ~GzipReader() { inflateEnd(&stream); }
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;
  z_stream stream{};
};

struct GzipWriter {
  GzipWriter() {
    expect_ok(deflateInit2(&stream, kGzipLevel, Z_DEFLATED, kGzipWindow, kGzipMemory,
                           Z_DEFAULT_STRATEGY));
  }
  ~GzipWriter() { deflateEnd(&stream); }
  GzipWriter(const GzipWriter&) = delete;
  GzipWriter& operator=(const GzipWriter&) = delete;
  z_stream stream{};
};

struct FreeZstd {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

std::unique_ptr<ZSTD_DCtx, FreeZstd> make_zstd_reader() {
  std::unique_ptr<ZSTD_DCtx, FreeZstd> context{ZSTD_createDCtx()};
  if (!context) throw std::bad_alloc{};
  if (ZSTD_isError(ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, kZstdWindowLog)) != 0)
    throw std::runtime_error{"zstd rejected the window limit"};
  return context;
}

std::unique_ptr<ZSTD_CCtx, FreeZstd> make_zstd_writer() {
  std::unique_ptr<ZSTD_CCtx, FreeZstd> context{ZSTD_createCCtx()};
  if (!context) throw std::bad_alloc{};
  if (ZSTD_isError(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kZstdLevel)) != 0)
    throw std::runtime_error{"zstd rejected the compression level"};
  return context;
}

// Sets zlib's input, as much as fits its counter, and an empty output buffer.
void offer(z_stream& stream, std::string_view input, Piece& piece) {
  constexpr std::size_t kCountable = std::numeric_limits<uInt>::max();
  stream.next_in = reinterpret_cast<const Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(std::min(input.size(), kCountable));
  stream.next_out = reinterpret_cast<Bytef*>(piece.data());
  stream.avail_out = static_cast<uInt>(piece.size());
}

std::string_view left_of(const z_stream& stream, std::string_view input) {
  return input.substr(reinterpret_cast<const char*>(stream.next_in) - input.data());
}

std::string_view written_to(const Piece& piece, const z_stream& stream) {
  return {piece.data(), piece.size() - stream.avail_out};
}

std::expected<void, InflateFault> inflate_gzip(std::string_view bytes, Plain& plain) {
  thread_local GzipReader reader;
  z_stream& stream = reader.stream;
  Piece piece;
  do {  // each pass decodes one gzip member
    expect_ok(inflateReset(&stream));
    int status = Z_OK;
    while (status != Z_STREAM_END) {
      offer(stream, bytes, piece);
      status = ::inflate(&stream, Z_NO_FLUSH);
      if (status == Z_MEM_ERROR) throw std::bad_alloc{};
      // Z_BUF_ERROR is a fault too: the output has room, so the input is truncated.
      if (status != Z_OK && status != Z_STREAM_END) return std::unexpected{InflateFault::malformed};
      bytes = left_of(stream, bytes);
      if (const auto added = plain.add(written_to(piece, stream)); !added) return added;
    }
  } while (!bytes.empty());
  return {};
}

// True when the bytes start an RFC 8878 frame, with data or skippable. The library may also decode
// the formats from before 2016, whose decoders ignore the window limit.
bool opens_zstd_frame(std::string_view bytes) {
  constexpr std::string_view kFrame{"\x28\xb5\x2f\xfd"};
  constexpr std::string_view kSkippable{"\x2a\x4d\x18"};  // after a byte from 0x50 to 0x5f
  if (bytes.starts_with(kFrame)) return true;
  return !bytes.empty() && (static_cast<unsigned char>(bytes.front()) & 0xf0U) == 0x50U &&
         bytes.substr(1).starts_with(kSkippable);
}

std::expected<void, InflateFault> inflate_zstd(std::string_view bytes, Plain& plain) {
  thread_local const auto reader = make_zstd_reader();
  ZSTD_DCtx_reset(reader.get(), ZSTD_reset_session_only);
  Piece piece;
  do {  // each pass decodes one zstd frame
    if (!opens_zstd_frame(bytes)) return std::unexpected{InflateFault::malformed};
    std::size_t expected = 1;
    while (expected != 0) {
      ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
      ZSTD_outBuffer output{piece.data(), piece.size(), 0};
      expected = ZSTD_decompressStream(reader.get(), &output, &input);
      const bool stuck =
          expected != 0 && input.pos == 0 && output.pos == 0;  // the input is truncated
      if (ZSTD_isError(expected) != 0 || stuck) return std::unexpected{InflateFault::malformed};
      bytes.remove_prefix(input.pos);
      if (const auto added = plain.add({piece.data(), output.pos}); !added) return added;
    }
  } while (!bytes.empty());
  return {};
}

std::string deflate_gzip(std::string_view plain) {
  thread_local GzipWriter writer;
  z_stream& stream = writer.stream;
  expect_ok(deflateReset(&stream));
  std::string packed;
  Piece piece;
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    offer(stream, plain, piece);
    status = ::deflate(&stream, stream.avail_in == plain.size() ? Z_FINISH : Z_NO_FLUSH);
    if (status != Z_STREAM_END) expect_ok(status);
    plain = left_of(stream, plain);
    packed += written_to(piece, stream);
  }
  return packed;
}

std::string deflate_zstd(std::string_view plain) {
  thread_local const auto writer = make_zstd_writer();
  std::size_t size = 0;
  std::string packed;
  packed.resize_and_overwrite(ZSTD_compressBound(plain.size()), [&](char* to, std::size_t room) {
    size = ZSTD_compress2(writer.get(), to, room, plain.data(), plain.size());
    return ZSTD_isError(size) != 0 ? 0 : size;
  });
  // The buffer fits the worst case, so only the context's own allocation can fail.
  if (ZSTD_isError(size) != 0) throw std::bad_alloc{};
  return packed;
}

// Independent of the locale: headers are ASCII.
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equal_in_any_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_token(std::string_view text) {
  static constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z') || kMarks.contains(c);
  });
}

// "q=0.25" → 250. RFC 9110 allows at most three fraction digits and at most 1.
std::optional<int> thousandths_of(std::string_view weight) {
  if (!equal_in_any_case(weight.substr(0, 2), "q=")) return std::nullopt;
  weight.remove_prefix(2);
  if (weight.empty() || weight.size() > 5 || !is_digit(weight[0])) return std::nullopt;
  if (weight.size() > 1 && weight[1] != '.') return std::nullopt;
  int value = (weight[0] - '0') * 1000;
  int place = 100;
  for (const char digit : weight.substr(std::min<std::size_t>(2, weight.size()))) {
    if (!is_digit(digit)) return std::nullopt;
    value += (digit - '0') * place;
    place /= 10;
  }
  if (value > 1000) return std::nullopt;
  return value;
}

// The weights of an Accept-Encoding header, in thousandths.
class EncodingWeights {
 public:
  // Returns false when the element is malformed.
  bool read(std::string_view element) {
    const std::size_t semicolon = element.find(';');
    const std::string_view name = trimmed(element.substr(0, semicolon));
    std::optional<int> weight = 1000;
    if (semicolon != std::string_view::npos)
      weight = thousandths_of(trimmed(element.substr(semicolon + 1)));
    if (!is_token(name) || !weight) return false;
    if (name == "*") lower_to(*weight, others_);
    if (const auto coding = coding_of(name)) lower_to(*weight, named_[std::to_underlying(*coding)]);
    return true;
  }

  int weight_of(Coding coding) const {
    return named_[std::to_underlying(coding)].value_or(others_.value_or(0));
  }

 private:
  // When a coding is listed twice, the lower weight counts, so that q=0 stays a refusal.
  static void lower_to(int weight, std::optional<int>& known) {
    known = std::min(weight, known.value_or(weight));
  }

  std::array<std::optional<int>, 3> named_;
  std::optional<int> others_;
};

}  // namespace

std::optional<Coding> coding_of(std::string_view name) {
  if (equal_in_any_case(name, "x-gzip")) return Coding::gzip;  // alias in RFC 9110
  for (const Coding coding : {Coding::identity, Coding::gzip, Coding::zstd}) {
    if (equal_in_any_case(name, name_of(coding))) return coding;
  }
  return std::nullopt;
}

std::string_view name_of(Coding coding) {
  switch (coding) {
    case Coding::gzip:
      return "gzip";
    case Coding::zstd:
      return "zstd";
    case Coding::identity:
      break;
  }
  return "identity";
}

Coding choose(std::string_view accept_encoding) {
  EncodingWeights weights;
  while (!accept_encoding.empty()) {
    const std::size_t comma = accept_encoding.find(',');
    const std::string_view element = trimmed(accept_encoding.substr(0, comma));
    // Empty elements must be ignored (RFC 9110, 5.6.1.2).
    if (!element.empty() && !weights.read(element)) return Coding::identity;
    accept_encoding.remove_prefix(comma == std::string_view::npos ? accept_encoding.size()
                                                                  : comma + 1);
  }
  const int zstd = weights.weight_of(Coding::zstd);
  const int gzip = weights.weight_of(Coding::gzip);
  const int best = std::max(zstd, gzip);
  if (best == 0 || best < weights.weight_of(Coding::identity)) return Coding::identity;
  return zstd >= gzip ? Coding::zstd : Coding::gzip;
}

std::expected<std::string, InflateFault> inflate(Coding coding, std::string_view bytes,
                                                 std::size_t bytes_max) {
  if (coding == Coding::identity) {
    if (bytes.size() > bytes_max) return std::unexpected{InflateFault::too_large};
    return std::string{bytes};
  }
  Plain plain{bytes.size(), bytes_max};
  const auto inflated =
      coding == Coding::gzip ? inflate_gzip(bytes, plain) : inflate_zstd(bytes, plain);
  if (!inflated) return std::unexpected{inflated.error()};
  return plain.take();
}

std::string deflate(Coding coding, std::string_view plain) {
  switch (coding) {
    case Coding::gzip:
      return deflate_gzip(plain);
    case Coding::zstd:
      return deflate_zstd(plain);
    case Coding::identity:
      break;
  }
  return std::string{plain};
}

}  // namespace shopbell::compress
