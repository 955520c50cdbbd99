#include "keyring/core_dumps.h"

#include <cstdlib>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace shopbell::keyring {
namespace {

// Runs in a child process, because the change cannot be undone.
TEST(CoreDumps, contain_no_memory_and_have_no_size) {
  EXPECT_EXIT(
      {
        forbid_core_dumps();
        rlimit limit{};
        ::getrlimit(RLIMIT_CORE, &limit);
        std::string filter;
        std::ifstream{"/proc/self/coredump_filter"} >> filter;
        const bool is_forbidden =
            limit.rlim_max == 0 && filter.find_first_not_of('0') == std::string::npos;
        std::_Exit(is_forbidden ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace shopbell::keyring
