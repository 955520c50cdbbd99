#include "tests/proofs/actors/island.h"

#include <cerrno>
#include <filesystem>
#include <format>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include <linux/if.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace shopbell::proofs {

namespace {

constexpr unsigned kLoopback = 1;  // the loopback device's index in a new network namespace

void check(bool done, const char* what) {
  if (!done) throw std::system_error{errno, std::generic_category(), what};
}

// Enters new namespaces. A user other than root first becomes root in a user namespace, which
// permits the others.
void leave() {
  constexpr int kNetworkAndMounts = CLONE_NEWNET | CLONE_NEWNS;
  if (::unshare(kNetworkAndMounts) == 0) return;
  const auto user = ::getuid();
  const auto group = ::getgid();
  check(::unshare(CLONE_NEWUSER | kNetworkAndMounts) == 0, "unshare");
  std::ofstream{"/proc/self/setgroups"} << "deny";
  std::ofstream{"/proc/self/uid_map"} << std::format("0 {} 1", user);
  std::ofstream{"/proc/self/gid_map"} << std::format("0 {} 1", group);
}

void replace(const char* file, std::string_view text) {
  if (!std::filesystem::exists(file)) return;
  std::string name = std::filesystem::temp_directory_path() / "island-XXXXXX";
  const int descriptor = ::mkstemp(name.data());
  check(descriptor >= 0, "mkstemp");
  const bool written = ::write(descriptor, text.data(), text.size()) == std::ssize(text);
  ::close(descriptor);
  const bool mounted = ::mount(name.c_str(), file, nullptr, MS_BIND, nullptr) == 0;
  ::unlink(name.c_str());
  check(written && mounted, file);
}

void resolve_by_ourselves() {
  // In a chroot this call fails; tools/dev has already made all mounts private.
  const bool is_private = ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  check(is_private || errno == EINVAL, "mount");
  replace("/etc/resolv.conf", "nameserver 127.0.0.1\noptions timeout:1 attempts:2\n");
  replace("/etc/nsswitch.conf", "hosts: files dns\n");
  replace("/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n");
}

void bring_up_loopback() {
  const int socket = ::socket(AF_INET, SOCK_DGRAM, 0);
  ifreq request{.ifr_ifrn = {"lo"}, .ifr_ifru = {}};
  request.ifr_flags = IFF_UP;
  const bool up = ::ioctl(socket, SIOCSIFFLAGS, &request) == 0;
  ::close(socket);
  check(up, "cannot start the loopback device");
}

// Does the same as `ip route add local default dev lo`.
void own_every_address(unsigned char family) {
  struct {
    nlmsghdr head;
    rtmsg route;
    rtattr attribute;
    unsigned device;
  } message{};
  message.head = {.nlmsg_len = sizeof message,
                  .nlmsg_type = RTM_NEWROUTE,
                  .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE,
                  .nlmsg_seq = 1,
                  .nlmsg_pid = 0};
  message.route.rtm_family = family;
  message.route.rtm_table = RT_TABLE_LOCAL;
  message.route.rtm_protocol = RTPROT_BOOT;
  message.route.rtm_scope = RT_SCOPE_HOST;
  message.route.rtm_type = RTN_LOCAL;
  message.attribute = {.rta_len = RTA_LENGTH(sizeof message.device), .rta_type = RTA_OIF};
  message.device = kLoopback;

  struct {
    nlmsghdr head;
    nlmsgerr error;
  } reply{};
  const int socket = ::socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
  const bool told = ::send(socket, &message, sizeof message, 0) == sizeof message &&
                    ::recv(socket, &reply, sizeof reply, 0) > 0;
  ::close(socket);
  check(told, "netlink");
  errno = -reply.error.error;
  check(errno == 0, "cannot route every address to loopback");
}

// Returns the child's result: a status character, then a text.
std::string work_of_child(const std::function<std::string()>& work) {
  try {
    leave();
    resolve_by_ourselves();
    bring_up_loopback();
    own_every_address(AF_INET);
    own_every_address(AF_INET6);
    return "+" + work();
  } catch (const std::exception& error) {
    return std::format("-{}", error.what());
  }
}

}  // namespace

std::string on_island(const std::function<std::string()>& work) {
  int ends[2];
  check(::pipe(ends) == 0, "pipe");
  const pid_t child = ::fork();
  check(child >= 0, "fork");
  if (child == 0) {
    const std::string said = work_of_child(work);
    const bool written = ::write(ends[1], said.data(), said.size()) == std::ssize(said);
    ::_exit(written ? 0 : 1);
  }
  ::close(ends[1]);
  std::string said;
  char block[4096];
  for (ssize_t bytes = 0; (bytes = ::read(ends[0], block, sizeof block)) > 0;)
    said.append(block, static_cast<std::size_t>(bytes));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (status != 0 || said.empty())
    throw std::runtime_error{"the child process exited before it sent a result"};
  if (said.front() == '-') throw std::runtime_error{said.substr(1)};
  return said.substr(1);
}

}  // namespace shopbell::proofs
