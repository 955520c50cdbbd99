#include "keyring/core_dumps.h"

#include <fstream>

#include <sys/resource.h>

namespace shopbell::keyring {

void forbid_core_dumps() {
  // Lowering a limit is always allowed.
  constexpr rlimit kNone{.rlim_cur = 0, .rlim_max = 0};
  ::setrlimit(RLIMIT_CORE, &kNone);
  // The limit does not apply to a program that the kernel pipes dumps to: leave all memory out.
  std::ofstream{"/proc/self/coredump_filter"} << "0";
}

}  // namespace shopbell::keyring
