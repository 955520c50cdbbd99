// Process: a child that a test starts, signals, kills and waits for.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

namespace shopbell::testing {

class Process {
 public:
  // `log` receives standard error; `environment` adds to this process's own environment.
  Process(const std::vector<std::string>& command, const std::filesystem::path& log,
          const std::map<std::string, std::string>& environment = {});
  // Kills the process if it still runs.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t id() const { return id_; }
  bool alive();
  void signal(int number) const;
  // The exit code, or 128 + number for a signal; nullopt if it still runs after `timeout`.
  std::optional<int> wait(std::chrono::milliseconds timeout);

  // What they refer to: a path, "socket", "anon_inode:[eventpoll]" and the like.
  std::multiset<std::string> open_descriptors() const;
  std::size_t memory_bytes() const;
  double cpu_seconds() const;

 private:
  pid_t id_ = -1;
  std::optional<int> exit_code_;
};

// Runs a command and returns its output; throws if it fails.
std::string run(const std::vector<std::string>& command);

std::string read_file(const std::filesystem::path& file);

// The CPU time that a process has used; also that of its children that have ended, if wanted.
double cpu_seconds_of(pid_t id, bool and_ended_children = false);

}  // namespace shopbell::testing
