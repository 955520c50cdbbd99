#include "testing/installation.h"

#include <cerrno>
#include <format>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "base/random.h"

namespace shopbell::testing {

namespace {

// The text between `before` and the next `after`.
std::string between(std::string_view text, std::string_view before, std::string_view after) {
  const auto start = text.find(before);
  if (start == std::string_view::npos)
    throw std::runtime_error{std::format("no {} in: {}", before, text)};
  text.remove_prefix(start + before.size());
  return std::string{text.substr(0, text.find(after))};
}

// Runs a command with more environment variables.
std::string run_with(const Installation::Variables& environment,
                     const std::vector<std::string>& command) {
  std::vector<std::string> words{"env"};
  for (const auto& [name, value] : environment) words.push_back(std::format("{}={}", name, value));
  words.insert(words.end(), command.begin(), command.end());
  return run(words);
}

}  // namespace

Installation::Installation(std::filesystem::path checkout, std::filesystem::path binary,
                           Environment environment)
    : checkout_{std::move(checkout)},
      binary_{std::move(binary)},
      environment_{std::move(environment)},
      directory_{std::filesystem::temp_directory_path() / ("shopbell-proof." + random_base62(8))} {
  std::filesystem::create_directory(directory_);
  std::filesystem::permissions(directory_, std::filesystem::perms{0711});
  services("start");
  const std::string admin =
      between(read_file(directory_ / "services/env"), "SHOPBELL_ADMIN='", "'");
  run_with(environment_.shopbell,
           {binary_, "init", "--no-store", "--admin", admin, "--directory", directory_ / "home",
            "--listen", "127.0.0.1:0", "--private-listen", "127.0.0.1:0"});
  admin_url_ = admin.substr(0, admin.rfind('/')) + "/shopbell";
}

Installation::~Installation() {
  try {
    services("stop");
    std::filesystem::remove_all(directory_);
  } catch (const std::exception&) {  // the result of a proof matters more than its leftovers
  }
}

void Installation::services(const std::string& what, const std::vector<std::string>& more) const {
  std::vector<std::string> command{checkout_ / "tools/services", what, directory_ / "services"};
  command.insert(command.end(), more.begin(), more.end());
  run_with(environment_.servers, command);
}

std::string Installation::shopbell(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), {binary_, "--config", directory_ / "home/shopbell.toml"});
  return run_with(environment_.shopbell, arguments);
}

Installation::Accounts Installation::create_accounts(const std::string& store_name) const {
  const std::string created =
      shopbell({"account", "create", "--name", store_name, "--currency", "EUR"});
  return {.live = between(created, "account=", "\n"),
          .test = between(created, "test_account=", "\n")};
}

std::string Installation::create_key_of(const std::string& account) const {
  return between(
      shopbell({"key", "create", "--account", account, "--name", "proof", "--scopes", "all"}),
      "key=", "\n");
}

std::string Installation::create_key(const std::string& store_name) {
  return create_key_of(create_accounts(store_name).live);
}

std::string Installation::create_unlimited_key(const std::string& store_name) {
  const std::string account = create_accounts(store_name).live;
  shopbell({"account", "rate", account, "--per-second", "1000000"});
  return create_key_of(account);
}

std::string Installation::create_unlimited_test_key(const std::string& store_name) {
  const std::string account = create_accounts(store_name).test;
  shopbell({"account", "rate", account, "--per-second", "1000000"});
  return create_key_of(account);
}

std::string Installation::create_limited_key(const std::string& store_name, int per_second,
                                             int burst) {
  const std::string account = create_accounts(store_name).live;
  shopbell({"account", "rate", account, "--per-second", std::to_string(per_second), "--burst",
            std::to_string(burst)});
  return create_key_of(account);
}

std::filesystem::path Installation::keep_logs() const {
  std::filesystem::path kept = directory_;
  kept += ".logs";
  std::filesystem::create_directory(kept);
  for (const auto& entry : std::filesystem::directory_iterator{directory_}) {
    if (entry.path().extension() == ".log") std::filesystem::copy(entry.path(), kept);
  }
  return kept;
}

void Installation::crash_database() { services("halt", {"immediate"}); }

void Installation::resume_database() { services("resume"); }

// Empty if no server was started.
std::string Installation::database_id() const {
  std::istringstream file{read_file(directory_ / "services/pg/postmaster.pid")};
  std::string id;
  std::getline(file, id);
  return id;
}

// A zombie process has no executable any more.
bool Installation::database_runs() const {
  const std::string id = database_id();
  if (id.empty()) return false;
  std::error_code error;
  return !std::filesystem::read_symlink(std::format("/proc/{}/exe", id), error).empty();
}

double Installation::database_cpu_seconds() const {
  const std::string id = database_id();
  std::istringstream children{read_file(std::format("/proc/{0}/task/{0}/children", id))};
  double sum = cpu_seconds_of(std::stoi(id), true);
  for (pid_t child = 0; children >> child;) sum += cpu_seconds_of(child);
  return sum;
}

void Installation::confine_database(int data_mib, int wal_mib) {
  services("confine", {std::to_string(data_mib), std::to_string(wal_mib)});
  confined_ = true;
}

std::filesystem::path Installation::ballast(Disk disk) const {
  return directory_ / "services" / (disk == Disk::data ? "pg" : "wal") / "ballast";
}

void Installation::fill(Disk disk) const {
  if (!confined_)
    throw std::logic_error{"confine_database() first: this would fill the machine's disk"};
  const int file = ::open(ballast(disk).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  const std::vector<char> block(1 << 20);
  while (::write(file, block.data(), block.size()) > 0) {
  }
  const int why = errno;
  ::close(file);
  if (why != ENOSPC) throw std::system_error{why, std::generic_category(), "the ballast"};
}

void Installation::make_room(Disk disk) const { std::filesystem::remove(ballast(disk)); }

void Installation::use_s3() {
  services("s3");
  take_settings("s3.env");
}

void Installation::take_settings(const std::string& file) {
  std::istringstream settings{read_file(directory_ / "services" / file)};
  for (std::string line; std::getline(settings, line);)
    settings_[line.substr(0, line.find('='))] = between(line, "='", "'");
}

void Installation::use_kafka(int nodes) {
  services("kafka", {std::to_string(nodes)});
  take_settings("kafka.env");
}

void Installation::kill_kafka(int node) { services("kill-kafka", {std::to_string(node)}); }

void Installation::resume_kafka(int node) { services("resume-kafka", {std::to_string(node)}); }

void Installation::halt_s3() { services("halt-s3"); }

void Installation::resume_s3() { services("resume-s3"); }

Installation::Service Installation::start_service(const Variables& environment) {
  const auto log = directory_ / std::format("service-{}.log", ++services_started_);
  Variables all = environment;
  all.insert(settings_.begin(), settings_.end());
  all.insert(environment_.shopbell.begin(), environment_.shopbell.end());
  Service service;
  service.process = std::make_unique<Process>(
      std::vector<std::string>{binary_, "--config", directory_ / "home/shopbell.toml", "run"}, log,
      all);
  for (int i = 0; i < 2400; ++i) {
    const std::string text = read_file(log);
    if (text.contains(R"("event":"ready")")) {
      service.host = between(text, R"("url":"http://)", ":");
      service.port = between(text, std::format(R"("url":"http://{}:)", service.host), "\"");
      service.private_port =
          between(text, std::format(R"("privateUrl":"http://{}:)", service.host), "\"");
      return service;
    }
    if (!service.process->alive()) throw std::runtime_error{"shopbell did not start: " + text};
    std::this_thread::sleep_for(std::chrono::milliseconds{25});
  }
  throw std::runtime_error{"shopbell was not ready within a minute"};
}

}  // namespace shopbell::testing
