// Packer: a file on its way, packed piece by piece, however long it becomes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace shopbell::compress {

enum class Packing { none, gzip, zip };

// Of "none", "gzip", "zip".
std::optional<Packing> packing_of(std::string_view name);

class Packer {
 public:
  // `name` is what the one file inside a ZIP is called.
  Packer(Packing packing, std::string name);
  ~Packer();
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  // Append to `packed` what is ready.
  void add(std::string_view plain, std::string& packed);
  void finish(std::string& packed);

 private:
  struct Deflater;

  void deflate(std::string_view plain, bool last, std::string& packed);
  void begin_zip(std::string& packed);
  void end_zip(std::string& packed);

  const Packing packing_;
  const std::string name_;
  std::unique_ptr<Deflater> deflater_;
};

}  // namespace shopbell::compress
