#include "compress/packer.h"

#include <array>
#include <cstdint>
#include <limits>
#include <new>
#include <stdexcept>

#define ZLIB_CONST
#include <zlib.h>

#include "compress/window.h"

namespace shopbell::compress {

namespace {

constexpr int kLevel = 5;
constexpr int kRawWindow = -15;  // raw deflate, without gzip header and trailer
constexpr int kMemory = 8;

// Numbers in ZIP (APPNOTE 6.3) are little-endian.
void put(std::string& bytes, std::uint64_t number, int size) {
  for (int i = 0; i < size; ++i) bytes.push_back(static_cast<char>(number >> (8 * i)));
}

constexpr std::uint32_t kLocalHead = 0x04034b50;
constexpr std::uint32_t kDescriptor = 0x08074b50;
constexpr std::uint32_t kCentralHead = 0x02014b50;
constexpr std::uint32_t kZip64End = 0x06064b50;
constexpr std::uint32_t kZip64Locator = 0x07064b50;
constexpr std::uint32_t kEnd = 0x06054b50;
constexpr std::uint16_t kVersion = 45;          // needed for 64-bit sizes
constexpr std::uint16_t kFlags = 0x08 | 0x800;  // sizes follow the data; the name is UTF-8
constexpr std::uint16_t kDeflated = 8;
constexpr std::uint16_t kNoTime = 0;
constexpr std::uint16_t kFirstDay = 0x21;  // 1980-01-01: fixed, so that equal rows give equal bytes
constexpr std::uint32_t kSeeExtra = 0xffffffff;
constexpr std::uint16_t kZip64Extra = 1;

}  // namespace

struct Packer::Deflater {
  explicit Deflater(int window) {
    const int status =
        deflateInit2(&stream, kLevel, Z_DEFLATED, window, kMemory, Z_DEFAULT_STRATEGY);
    if (status == Z_MEM_ERROR) throw std::bad_alloc{};
    if (status != Z_OK) throw std::runtime_error{"zlib rejected its parameters"};
  }
  ~Deflater() { deflateEnd(&stream); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  z_stream stream{};
};

std::optional<Packing> packing_of(std::string_view name) {
  if (name == "none") return Packing::none;
  if (name == "gzip") return Packing::gzip;
  if (name == "zip") return Packing::zip;
  return std::nullopt;
}

Packer::Packer(Packing packing, std::string name) : packing_{packing} {
  entries_.push_back({.name = std::move(name)});
  if (packing_ == Packing::none) return;
  deflater_ = std::make_unique<Deflater>(packing_ == Packing::gzip ? kGzipWindow : kRawWindow);
}

Packer::~Packer() = default;

void Packer::add(std::string_view plain, std::string& packed) {
  if (packing_ == Packing::none) {
    packed += plain;
    return;
  }
  if (packing_ == Packing::zip) {
    if (!entries_.back().begun) begin_entry(packed);
    entries_.back().check = static_cast<std::uint32_t>(
        crc32_z(entries_.back().check, reinterpret_cast<const Bytef*>(plain.data()), plain.size()));
  }
  deflate(plain, false, packed);
}

void Packer::next(std::string name, std::string& packed) {
  if (packing_ != Packing::zip) throw std::logic_error{"only a ZIP can have several files"};
  end_entry(packed);
  entries_.push_back({.name = std::move(name), .at = written_});
  deflateReset(&deflater_->stream);
}

void Packer::finish(std::string& packed) {
  if (packing_ == Packing::none) return;
  if (packing_ == Packing::gzip) {
    deflate({}, true, packed);
    return;
  }
  end_entry(packed);
  end_zip(packed);
}

void Packer::deflate(std::string_view plain, bool last, std::string& packed) {
  z_stream& stream = deflater_->stream;
  Entry& entry = entries_.back();
  std::array<char, std::size_t{64} * 1024> piece;
  entry.plain_bytes += plain.size();
  stream.next_in = reinterpret_cast<const Bytef*>(plain.data());
  stream.avail_in = static_cast<uInt>(plain.size());
  do {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    ::deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH);
    const std::size_t made = piece.size() - stream.avail_out;
    packed.append(piece.data(), made);
    entry.packed_bytes += made;
  } while (stream.avail_out == 0);
}

void Packer::begin_entry(std::string& packed) {
  Entry& entry = entries_.back();
  entry.begun = true;
  put(packed, kLocalHead, 4);
  put(packed, kVersion, 2);
  put(packed, kFlags, 2);
  put(packed, kDeflated, 2);
  put(packed, kNoTime, 2);
  put(packed, kFirstDay, 2);
  put(packed, 0, 4);
  put(packed, kSeeExtra, 4);
  put(packed, kSeeExtra, 4);
  put(packed, entry.name.size(), 2);
  put(packed, 20, 2);
  packed += entry.name;
  put(packed, kZip64Extra, 2);
  put(packed, 16, 2);
  put(packed, 0, 8);
  put(packed, 0, 8);
}

void Packer::end_entry(std::string& packed) {
  if (!entries_.back().begun) begin_entry(packed);
  deflate({}, true, packed);
  const Entry& done = entries_.back();
  put(packed, kDescriptor, 4);
  put(packed, done.check, 4);
  put(packed, done.packed_bytes, 8);
  put(packed, done.plain_bytes, 8);
  written_ += 30 + done.name.size() + 20 + done.packed_bytes + 24;
}

void Packer::put_in_directory(const Entry& entry, std::string& packed) {
  put(packed, kCentralHead, 4);
  put(packed, kVersion, 2);
  put(packed, kVersion, 2);
  put(packed, kFlags, 2);
  put(packed, kDeflated, 2);
  put(packed, kNoTime, 2);
  put(packed, kFirstDay, 2);
  put(packed, entry.check, 4);
  put(packed, kSeeExtra, 4);
  put(packed, kSeeExtra, 4);
  put(packed, entry.name.size(), 2);
  put(packed, 28, 2);
  put(packed, 0, 2 + 2 + 2);  // no comment, first disk, no internal attributes
  put(packed, 0, 4);          // no external attributes
  put(packed, kSeeExtra, 4);
  packed += entry.name;
  put(packed, kZip64Extra, 2);
  put(packed, 24, 2);
  put(packed, entry.plain_bytes, 8);
  put(packed, entry.packed_bytes, 8);
  put(packed, entry.at, 8);
}

void Packer::end_zip(std::string& packed) {
  std::uint64_t directory_size = 0;
  for (const auto& entry : entries_) {
    put_in_directory(entry, packed);
    directory_size += 46 + entry.name.size() + 28;
  }
  put(packed, kZip64End, 4);
  put(packed, 44, 8);
  put(packed, kVersion, 2);
  put(packed, kVersion, 2);
  put(packed, 0, 8);  // number of this disk and of the directory's disk
  put(packed, entries_.size(), 8);
  put(packed, entries_.size(), 8);
  put(packed, directory_size, 8);
  put(packed, written_, 8);
  put(packed, kZip64Locator, 4);
  put(packed, 0, 4);
  put(packed, written_ + directory_size, 8);
  put(packed, 1, 4);
  put(packed, kEnd, 4);
  put(packed, 0, 4);
  put(packed, entries_.size(), 2);
  put(packed, entries_.size(), 2);
  put(packed, directory_size, 4);
  put(packed, kSeeExtra, 4);
  put(packed, 0, 2);
}

}  // namespace shopbell::compress
