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

// Acts as another user while it lives: the server asks the kernel who connects.
class ActingAs {
 public:
  explicit ActingAs(uid_t user) {
    if (::seteuid(user) != 0) throw std::runtime_error{"cannot act as the user postgres"};
  }
  ~ActingAs() {
    if (::seteuid(0) != 0) std::abort();  // going on with another user's rights helps nobody
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

// A line that is not shown while it is typed: there is a password in it.
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
    std::println("taking the PostgreSQL of this machine, as its user {}", kLocalUser);
    const ActingAs as_postgres{local->pw_uid};
    // Its socket lets in whoever has the name of a role; the roles have passwords, for TCP.
    return {std::make_unique<pg::Script>(kLocalUrl), "127.0.0.1"};
  }
  if (::isatty(STDIN_FILENO) != 0) {
    const std::string typed =
        ask("Connection string of a PostgreSQL administrator, such as\n"
            "postgresql://postgres:PASSWORD@127.0.0.1:5432/postgres: ");
    if (!typed.empty()) return {std::make_unique<pg::Script>(typed), ""};
  }
  throw std::runtime_error{
      "--admin or SHOPBELL_ADMIN is missing: the connection string of a PostgreSQL administrator"};
}

}  // namespace shopbell::app
