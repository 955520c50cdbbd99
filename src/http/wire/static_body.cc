#include "http/wire/static_body.h"

#include <format>

#include "base/digest.h"
#include "base/limits.h"

namespace shopbell::http {

StaticBody::StaticBody(std::string text)
    : plain_{std::move(text)}, etag_{std::format("\"{}\"", to_hex(sha256(plain_)).substr(0, 32))} {
  if (plain_.size() < limits::kCompressFrom) return;
  gzip_ = compress::deflate(compress::Coding::gzip, plain_);
  zstd_ = compress::deflate(compress::Coding::zstd, plain_);
}

const std::string& StaticBody::in(compress::Coding coding) const {
  if (plain_.size() < limits::kCompressFrom) return plain_;
  if (coding == compress::Coding::gzip) return gzip_;
  return coding == compress::Coding::zstd ? zstd_ : plain_;
}

}  // namespace shopbell::http
