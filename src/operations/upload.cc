#include "operations/upload.h"

#include <stdexcept>

#include "base/limits.h"
#include "base/problem.h"

namespace shopbell::operations {

void Upload::check_duration() const {
  if (runtime::Steady::now() - began_ > limits::kUploadMost)
    throw Problem{Code::upload_too_slow, "The upload took longer than the time limit."};
}

const Sha256& Upload::digest() const {
  if (!digest_) throw std::logic_error{"the operation has not set the digest of its upload"};
  return *digest_;
}

}  // namespace shopbell::operations
