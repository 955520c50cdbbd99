// Source: reads a stored file, uncompressed, from any offset.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "compress/unpacker.h"
#include "storage/storage.h"

namespace shopbell::imports {

class Source {
 public:
  // `coding` is the compression of the file: none, gzip, zstd.
  Source(storage::Storage& storage, std::string file, const std::string& coding);

  // Reopens the file at an offset of its uncompressed bytes. A compressed file is decompressed from
  // its beginning.
  boost::asio::awaitable<void> open(std::uint64_t position);

  // Returns the next block; empty at the end of the file. Throws file-unreadable if the file cannot
  // be decompressed or is too large.
  boost::asio::awaitable<std::string> read();

 private:
  boost::asio::awaitable<std::string> unpack();

  storage::Storage& storage_;
  const std::string file_;
  const compress::Coding coding_;
  std::unique_ptr<storage::Download> download_;
  std::unique_ptr<compress::Unpacker> unpacker_;
  std::string packed_;
  std::size_t taken_ = 0;  // bytes of packed_ already decompressed
  std::uint64_t position_ = 0;
  std::uint64_t skipped_to_ = 0;
};

}  // namespace shopbell::imports
