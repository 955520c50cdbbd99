// Packer: a file on its way, packed piece by piece, however long it becomes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shopbell::compress {

enum class Packing { none, gzip, zip };

// Of "none", "gzip", "zip".
std::optional<Packing> packing_of(std::string_view name);

class Packer {
 public:
  // `name` is what the first file inside a ZIP is called.
  Packer(Packing packing, std::string name);
  ~Packer();
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  // Append to `packed` what is ready.
  void add(std::string_view plain, std::string& packed);
  // Ends the file inside a ZIP, and begins another one; of other packings there is one only.
  void next(std::string name, std::string& packed);
  void finish(std::string& packed);

 private:
  struct Deflater;
  // A file inside a ZIP.
  struct Entry {
    std::string name;
    std::uint64_t at = 0;     // where its head is
    bool begun = false;       // the head is written
    std::uint32_t check = 0;  // CRC-32 of the plain bytes
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
  std::uint64_t written_ = 0;  // of a ZIP, up to the end of the last entry
  std::unique_ptr<Deflater> deflater_;
};

}  // namespace shopbell::compress
