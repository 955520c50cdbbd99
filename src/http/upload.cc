#include "http/upload.h"

#include <stdexcept>

#include "base/limits.h"

namespace shopbell::http {

boost::asio::awaitable<std::string> Upload::read() {
  // Whoever is told that it has failed needs time to clean up.
  struct Touch {
    Upload& upload;
    ~Touch() { upload.touch(); }
  };
  const Touch touched{*this};
  if (runtime::Steady::now() - began_ > limits::kUploadMost)
    throw Problem{Code::upload_too_slow, "The upload has taken longer than any may."};
  co_return co_await source_.read();
}

const Sha256& Upload::digest() const {
  if (!digest_) throw std::logic_error{"the handler has not said what its upload holds"};
  return *digest_;
}

}  // namespace shopbell::http
