#include "operations/retry.h"

#include "base/random.h"
#include "runtime/wait.h"

namespace shopbell::operations {

boost::asio::awaitable<void> pause_before_retry(int attempt) {
  return runtime::sleep_for(std::chrono::duration_cast<runtime::Steady::duration>(
      limits::kWritePause * jitter() * attempt));
}

}  // namespace shopbell::operations
