#include "tests/proofs/actors/process_pair.h"

#include <algorithm>
#include <csignal>
#include <thread>

namespace shopbell::proofs {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using testing::Answer;

namespace {

// Time from taking a process out of the balancer until no request is on its way to it.
constexpr auto kBalancerSettles = 300ms;

}  // namespace

ProcessPair::ProcessPair(testing::Installation& installation) : installation_{installation} {
  for (std::size_t which = 0; which < services_.size(); ++which) start(which);
}

void ProcessPair::start(std::size_t which) {
  auto service = installation_.start_service();
  const std::scoped_lock lock{mutex_};
  lives_[which] = {.number = records_.size(), .host = service.host, .port = service.port};
  services_[which] = std::move(service);
  records_.emplace_back();
}

void ProcessPair::end_as(std::size_t which, End end) {
  const std::scoped_lock lock{mutex_};
  records_[lives_[which].number].end = end;
}

void ProcessPair::kill_and_restart(std::size_t which) {
  end_as(which, End::killed);
  services_[which].process->signal(SIGKILL);
  services_[which].process->wait(10s);
  start(which);
}

std::optional<int> ProcessPair::stop_and_restart(std::size_t which) {
  end_as(which, End::stopped);
  services_[which].process->signal(SIGTERM);
  const auto exit_code = services_[which].process->wait(15s);
  start(which);
  return exit_code;
}

void ProcessPair::take_out(std::optional<std::size_t> which) {
  const std::scoped_lock lock{mutex_};
  out_ = which;
}

std::optional<int> ProcessPair::replace(std::size_t which) {
  take_out(which);
  std::this_thread::sleep_for(kBalancerSettles);
  const auto exit_code = stop_and_restart(which);
  take_out({});
  return exit_code;
}

bool ProcessPair::alive() { return services_[0].process->alive() && services_[1].process->alive(); }

std::size_t ProcessPair::memory_bytes(std::size_t which) const {
  return services_[which].process->memory_bytes();
}

ProcessPair::Life ProcessPair::life(std::size_t which) const {
  const std::scoped_lock lock{mutex_};
  return lives_[out_ == which ? 1 - which : which];
}

void ProcessPair::note(std::size_t life, const Answer& answer) {
  const std::scoped_lock lock{mutex_};
  if (answer.outcome == Answer::Outcome::answered) ++records_[life].answered;
  if (answer.outcome == Answer::Outcome::cut) ++records_[life].cut;
  if (answer.outcome == Answer::Outcome::cut && answer.fresh) ++records_[life].cut_fresh;
  if (answer.outcome == Answer::Outcome::refused) ++records_[life].refused;
}

ProcessPair::Cuts ProcessPair::cuts() const {
  const std::scoped_lock lock{mutex_};
  Cuts cuts;
  for (const auto& record : records_) {
    if (record.end == End::killed) cuts.by_kill += record.cut;
    if (record.end == End::stopped) cuts.by_stop += record.cut;
    if (record.end == End::stopped) cuts.before_accept += record.cut_fresh;
    if (record.end == End::stopped) cuts.refused_by_stopped += record.refused;
    if (record.end != End::none) continue;
    cuts.of_living += record.cut;
    cuts.refused_by_living += record.refused;
  }
  return cuts;
}

std::size_t ProcessPair::idle_lives() const {
  const std::scoped_lock lock{mutex_};
  return static_cast<std::size_t>(std::ranges::count(records_, 0, &Record::answered));
}

asio::awaitable<Answer> PairClient::send(std::size_t which, testing::Ask ask) {
  Line& line = lines_[which];
  const auto life = pair_.life(which);
  if (line.life != life.number) {
    line.client = std::make_unique<testing::HttpClient>(loop_, life.host, life.port, key_);
    line.life = life.number;
  }
  Answer answer = co_await line.client->send(std::move(ask));
  pair_.note(life.number, answer);
  co_return answer;
}

}  // namespace shopbell::proofs
