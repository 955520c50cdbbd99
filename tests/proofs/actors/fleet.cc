#include "tests/proofs/actors/fleet.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <format>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "runtime/wait.h"
#include "tests/proofs/actors/contact_ledger.h"

namespace shopbell::proofs {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using testing::Answer;
using testing::Ask;

namespace {

// Reads the process name `"process":"…"` from the log line about joining the event log.
std::string name_in_log(const std::string& log) {
  const auto line = log.find(R"("event":"log joined")");
  if (line == std::string::npos) return {};
  constexpr std::string_view kName = R"("process":")";
  const auto from = log.find(kName, line);
  if (from == std::string::npos) return {};
  return log.substr(from + kName.size(), 36);
}

}  // namespace

Fleet::Fleet(testing::Installation& installation, std::size_t processes,
             std::map<std::string, std::string> environment)
    : installation_{installation}, environment_{std::move(environment)}, members_(processes) {
  for (std::size_t which = 0; which < processes; ++which) start(which);
}

void Fleet::kill(std::size_t which) {
  members_[which].service.process->signal(SIGKILL);
  members_[which].service.process->wait(10s);
}

void Fleet::start(std::size_t which) {
  auto service = installation_.start_service(environment_);
  // The installation numbers the log files of its services in the order of their start.
  const auto directory = installation_.config_file().parent_path().parent_path();
  const auto log = directory / std::format("service-{}.log", started_ + 1);
  std::string name;
  for (int i = 0; i < 400 && name.empty(); ++i) {
    name = name_in_log(testing::read_file(log));
    if (name.empty()) std::this_thread::sleep_for(25ms);
  }
  if (name.empty()) throw std::runtime_error{"the process did not join the event log"};
  const std::scoped_lock lock{mutex_};
  Member& member = members_[which];
  member.life = {.number = started_++, .host = service.host, .port = service.port};
  member.service = std::move(service);
  member.name = std::move(name);
}

void Fleet::freeze(std::size_t which) {
  {
    const std::scoped_lock lock{mutex_};
    members_[which].out = true;
  }
  members_[which].service.process->signal(SIGSTOP);
}

void Fleet::resume(std::size_t which) {
  members_[which].service.process->signal(SIGCONT);
  const std::scoped_lock lock{mutex_};
  members_[which].out = false;
}

bool Fleet::alive() {
  return std::ranges::all_of(members_,
                             [](Member& member) { return member.service.process->alive(); });
}

Fleet::Life Fleet::life(std::size_t which) const {
  const std::scoped_lock lock{mutex_};
  while (members_[which].out) which = (which + 1) % members_.size();
  return members_[which].life;
}

std::optional<std::size_t> Fleet::find(const std::string& process_name) const {
  const std::scoped_lock lock{mutex_};
  for (std::size_t which = 0; which < members_.size(); ++which)
    if (members_[which].name == process_name) return which;
  return std::nullopt;
}

std::int64_t Fleet::memory_kb(std::size_t which) const {
  const std::scoped_lock lock{mutex_};
  const std::string status =
      testing::read_file(std::format("/proc/{}/status", members_[which].service.process->id()));
  return std::stoll(status.substr(status.find("VmRSS:") + 6));
}

double Fleet::cpu_seconds(std::size_t which) const {
  const std::scoped_lock lock{mutex_};
  return members_[which].service.process->cpu_seconds();
}

double Fleet::metric(std::size_t which, const std::string& name) const {
  asio::io_context loop;
  const auto& service = members_[which].service;
  testing::HttpClient client{loop, service.host, service.private_port, ""};
  const Answer answer = runtime::run_to_end(loop, client.get("/metrics"));
  double sum = 0;
  std::istringstream lines{answer.body};
  for (std::string line; std::getline(lines, line);) {
    const bool own = line.starts_with(name + "{") || line.starts_with(name + " ");
    if (!own) continue;
    double value = 0;
    const auto from = line.rfind(' ') + 1;
    std::from_chars(line.data() + from, line.data() + line.size(), value);
    sum += value;
  }
  return sum;
}

asio::awaitable<Answer> FleetClient::send(std::size_t which, Ask ask) {
  Line& line = lines_[which];
  const auto life = fleet_.life(which);
  if (line.life != life.number) {
    line.client = std::make_unique<testing::HttpClient>(loop_, life.host, life.port, key_);
    line.life = life.number;
  }
  co_return co_await line.client->send(std::move(ask));
}

Answer ask_once(const Fleet& fleet, std::size_t which, const std::string& key, Ask ask) {
  asio::io_context loop;
  FleetClient client{loop, fleet, key};
  return runtime::run_to_end(loop, client.send(which, std::move(ask)));
}

void define_event_types(const Fleet& fleet, const std::string& key,
                        const std::vector<std::string>& aliases, const std::string& fields) {
  const auto create = [&](std::string path, std::string body) {
    const Answer answer = ask_once(
        fleet, 0, key, {.method = "POST", .path = std::move(path), .body = std::move(body)});
    if (answer.status != 201)
      throw std::runtime_error{
          std::format("could not create the event type: {} {}", answer.status, answer.body)};
    return member_of(answer.body, "id").value_or("");
  };
  const std::string integration = create("/custom-integrations/", R"({"name":"Proof"})");
  for (const auto& alias : aliases)
    create(std::format("/custom-integrations/{}/custom-event-types/", integration),
           std::format(R"({{"name":"{0}","direction":"receive","alias":"{0}","fields":{1}}})",
                       alias, fields));
}

}  // namespace shopbell::proofs
