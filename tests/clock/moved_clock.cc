// Preloaded into a process and its children (LD_PRELOAD), this library moves their wall clock: it
// adds the offset that the file SHOPBELL_MOVED_CLOCK holds. All processes see a new offset at once.
// The monotonic clock is the machine's, as when an operator or NTP sets the clock.
//
// libfaketime does the same, but not for PostgreSQL: while a process waits in epoll_wait(), its
// signal handlers get the real time. PostgreSQL's timeouts compare times in a signal handler, so
// they never fire during a wait, such as one for a lock. Nor can it be combined with a sanitizer.
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <ctime>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

namespace {

constexpr std::int64_t kNanoseconds = 1'000'000'000;

// The offset in nanoseconds, mapped from the file.
const std::int64_t* map_offset() {
  const char* file = std::getenv("SHOPBELL_MOVED_CLOCK");
  const int descriptor = file == nullptr ? -1 : ::open(file, O_RDONLY | O_CLOEXEC);
  if (descriptor == -1) std::abort();
  void* mapped = ::mmap(nullptr, sizeof(std::int64_t), PROT_READ, MAP_SHARED, descriptor, 0);
  ::close(descriptor);
  if (mapped == MAP_FAILED) std::abort();
  return static_cast<const std::int64_t*>(mapped);
}

const std::int64_t* mapped_offset = nullptr;

// Runs before the functions below are used by more than one thread.
[[gnu::constructor]] void map_at_start() { mapped_offset = map_offset(); }

// System calls only: signal handlers may call this.
timespec moved_time(clockid_t clock) {
  timespec time{};
  ::syscall(SYS_clock_gettime, clock, &time);
  if (mapped_offset == nullptr) return time;  // a constructor that runs before ours
  const std::int64_t offset = __atomic_load_n(mapped_offset, __ATOMIC_RELAXED);
  const std::int64_t moved = time.tv_sec * kNanoseconds + time.tv_nsec + offset;
  return {.tv_sec = moved / kNanoseconds, .tv_nsec = moved % kNanoseconds};
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* result) noexcept {
  if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)
    return static_cast<int>(::syscall(SYS_clock_gettime, clock, result));
  *result = moved_time(clock);
  return 0;
}

int gettimeofday(timeval* result, void*) noexcept {
  const timespec time = moved_time(CLOCK_REALTIME);
  *result = {.tv_sec = time.tv_sec, .tv_usec = time.tv_nsec / 1000};
  return 0;
}

std::time_t time(std::time_t* result) noexcept {
  const std::time_t seconds = moved_time(CLOCK_REALTIME).tv_sec;
  if (result != nullptr) *result = seconds;
  return seconds;
}

int timespec_get(timespec* result, int base) noexcept {
  if (base != TIME_UTC) return 0;
  *result = moved_time(CLOCK_REALTIME);
  return base;
}
}
