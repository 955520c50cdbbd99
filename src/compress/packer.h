// Packer: compresses a file as a stream, in constant memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shopbell::compress {

enum class Packing { none, gzip, zip };

// Parses "none", "gzip" or "zip".
std::optional<Packing> packing_of(std::string_view name);

class Packer {
 public:
  // `name` is the name of the first file in a ZIP.
  Packer(Packing packing, std::string name);
  ~Packer();
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  // These functions append finished output to `packed`.
  void add(std::string_view plain, std::string& packed);
  // Starts the next file in a ZIP. Throws for the other packings, which have only one file.
  void next(std::string name, std::string& packed);
  void finish(std::string& packed);

 private:
  struct Deflater;
  // A file in a ZIP.
  struct Entry {
    std::string name;
    std::uint64_t at = 0;     // offset of its local header
    bool begun = false;       // true once the local header is written
    std::uint32_t check = 0;  // CRC-32 of the uncompressed bytes
    std::uint64_t plain_bytes = 0;
    std::uint64_t packed_bytes = 0;
  };

  void deflate(std::string_view plain, bool last, std::string& packed);
  void begin_entry(std::string& packed);
  void end_entry(std::string& packed);
  void end_zip(std::string& packed);
  static void put_in_directory(const Entry& entry, std::string& packed);

  const Packing packing_;
  std::vector<Entry> entries_;
  std::uint64_t written_ = 0;  // bytes of a ZIP up to the end of the last entry
  std::unique_ptr<Deflater> deflater_;
};

}  // namespace shopbell::compress
