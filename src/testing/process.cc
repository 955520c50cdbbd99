#include "testing/process.h"

#include <array>
#include <cstdlib>
#include <format>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace shopbell::testing {

namespace {

[[noreturn]] void exec_command(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  // Do not inherit the sockets of a thousand clients: they would use up the child's descriptors.
  ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  ::execvp(arguments[0], arguments.data());
  std::_Exit(127);
}

int code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

}  // namespace

Process::Process(const std::vector<std::string>& command, const std::filesystem::path& log,
                 const std::map<std::string, std::string>& environment) {
  id_ = ::fork();
  if (id_ != 0) return;
  const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  ::dup2(output, STDERR_FILENO);
  for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
  exec_command(command);
}

Process::~Process() {
  if (!alive()) return;
  signal(SIGKILL);
  wait(std::chrono::seconds{10});
}

bool Process::alive() { return !wait(std::chrono::milliseconds{0}); }

void Process::signal(int number) const { ::kill(id_, number); }

std::optional<int> Process::wait(std::chrono::milliseconds timeout) {
  const auto until = std::chrono::steady_clock::now() + timeout;
  while (!exit_code_) {
    int status = 0;
    if (::waitpid(id_, &status, WNOHANG) == id_) exit_code_ = code_of(status);
    if (exit_code_ || std::chrono::steady_clock::now() >= until) break;
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  return exit_code_;
}

std::multiset<std::string> Process::open_descriptors() const {
  std::multiset<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator{std::format("/proc/{}/fd", id_)}) {
    std::error_code closed_meanwhile;
    const std::string name = std::filesystem::read_symlink(entry.path(), closed_meanwhile);
    names.insert(name.starts_with("socket:") ? "socket" : name);
  }
  return names;
}

std::size_t Process::memory_bytes() const {
  std::ifstream file{std::format("/proc/{}/statm", id_)};
  std::size_t total = 0;
  std::size_t resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

double Process::cpu_seconds() const { return cpu_seconds_of(id_); }

double cpu_seconds_of(pid_t id, bool and_ended_children) {
  const std::string stat = read_file(std::format("/proc/{}/stat", id));
  std::istringstream fields{stat.substr(stat.rfind(')') + 1)};
  std::string skipped;
  for (int i = 3; i < 14; ++i) fields >> skipped;
  double sum = 0;
  // utime, stime, cutime and cstime are the fields 14 to 17.
  double ticks = 0;
  for (int i = 0; i < (and_ended_children ? 4 : 2) && fields >> ticks; ++i) sum += ticks;
  return sum / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

std::string run(const std::vector<std::string>& command) {
  std::array<int, 2> ends;
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error{"no pipe"};
  const pid_t id = ::fork();
  if (id == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    exec_command(command);
  }
  ::close(ends[1]);
  std::string output;
  std::array<char, 4096> buffer;
  for (ssize_t got = 0; (got = ::read(ends[0], buffer.data(), buffer.size())) > 0;) {
    output.append(buffer.data(), static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(id, &status, 0);
  if (code_of(status) != 0)
    throw std::runtime_error{std::format("{} ended with {}", command[0], code_of(status))};
  return output;
}

std::string read_file(const std::filesystem::path& file) {
  std::ifstream stream{file};
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace shopbell::testing
