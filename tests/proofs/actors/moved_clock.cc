#include "tests/proofs/actors/moved_clock.h"

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/random.h"

namespace shopbell::proofs {

MovedClock::MovedClock(Instant now)
    : directory_{std::filesystem::temp_directory_path() / ("shopbell-clock." + random_base62(8))} {
  std::filesystem::create_directory(directory_);
  // PostgreSQL runs as another user.
  std::filesystem::permissions(directory_, std::filesystem::perms{0755});
  const auto file = directory_ / "offset";
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  const bool has_room = ::ftruncate(descriptor, sizeof(std::int64_t)) == 0;
  void* mapped =
      ::mmap(nullptr, sizeof(std::int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  ::close(descriptor);
  if (!has_room || mapped == MAP_FAILED)
    throw std::system_error{errno, std::generic_category(), "the moved clock's file"};
  shared_ns_ = static_cast<std::int64_t*>(mapped);
  set(now);
}

MovedClock::~MovedClock() {
  ::munmap(shared_ns_, sizeof(std::int64_t));
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

void MovedClock::set(Instant now) {
  offset_ = now - system_clock().now();
  std::atomic_ref{*shared_ns_}.store(std::chrono::nanoseconds{offset_}.count());
}

std::map<std::string, std::string> MovedClock::environment() const {
  const char* options = std::getenv("ASAN_OPTIONS");
  return {{"LD_PRELOAD", SHOPBELL_MOVED_CLOCK_LIBRARY},
          {"SHOPBELL_MOVED_CLOCK", directory_ / "offset"},
          // A sanitized process wants the sanitizer's library to be the first.
          {"ASAN_OPTIONS",
           std::string{options == nullptr ? "" : options} + ":verify_asan_link_order=0"}};
}

}  // namespace shopbell::proofs
