// StaticBody: a body that never changes, compressed once. All its responses share it: a client that
// reads slowly holds no copy.
#pragma once

#include <memory>
#include <string>

#include "compress/compress.h"

namespace shopbell::http {

class StaticBody {
 public:
  explicit StaticBody(std::string text);

  // The body in a coding; uncompressed if it is short.
  const std::string& in(compress::Coding coding) const;
  const std::string& etag() const { return etag_; }  // of the uncompressed body, with quotes

 private:
  std::string plain_;
  std::string gzip_;
  std::string zstd_;
  std::string etag_;
};

}  // namespace shopbell::http
