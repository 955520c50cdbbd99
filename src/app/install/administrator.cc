#include "app/install/administrator.h"

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <print>
#include <stdexcept>

#include <pwd.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

namespace shopbell::app {

namespace {

constexpr const char* kLocalUser = "postgres";
constexpr const char* kLocalSocket = "/var/run/postgresql/.s.PGSQL.5432";
constexpr const char* kLocalUrl = "postgresql://postgres@:5432/postgres?host=/var/run/postgresql";

// Changes the effective user during its lifetime: PostgreSQL's peer authentication checks the user.
class ActingAs {
 public:
  explicit ActingAs(uid_t user) {
    if (::seteuid(user) != 0) throw std::runtime_error{"cannot switch to the user postgres"};
  }
  ~ActingAs() {
    if (::seteuid(0) != 0) std::abort();  // continuing with another user's rights would be unsafe
  }
  ActingAs(const ActingAs&) = delete;
  ActingAs& operator=(const ActingAs&) = delete;
};

const passwd* local_administrator() {
  struct stat status{};
  if (::geteuid() != 0 || ::stat(kLocalSocket, &status) != 0 || !S_ISSOCK(status.st_mode))
    return nullptr;
  return ::getpwnam(kLocalUser);
}

// Reads a line from the terminal without echo, because the answer contains a password.
std::string ask(std::string_view question) {
  std::print(stderr, "{}", question);
  termios shown{};
  ::tcgetattr(STDIN_FILENO, &shown);
  termios hidden = shown;
  hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
  std::string line;
  std::getline(std::cin, line);
  ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown);
  std::println(stderr, "");
  return line;
}

}  // namespace

Administrator connect_administrator(const std::string& url) {
  if (!url.empty()) return {std::make_unique<pg::Script>(url), ""};
  if (const passwd* local = local_administrator()) {
    std::println("using the PostgreSQL of this machine, as its user {}", kLocalUser);
    const ActingAs as_postgres{local->pw_uid};
    // Local administrators use peer authentication over the socket; the service's roles use TCP.
    return {std::make_unique<pg::Script>(kLocalUrl), "127.0.0.1"};
  }
  if (::isatty(STDIN_FILENO) != 0) {
    const std::string typed =
        ask("Connection string of a PostgreSQL administrator, such as\n"
            "postgresql://postgres:PASSWORD@127.0.0.1:5432/postgres: ");
    if (!typed.empty()) return {std::make_unique<pg::Script>(typed), ""};
  }
  throw std::runtime_error{
      "set --admin or SHOPBELL_ADMIN to the connection string of a PostgreSQL administrator"};
}

}  // namespace shopbell::app
