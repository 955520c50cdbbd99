// PostgreSQL crashes repeatedly under load. The process must stay up, answer only 200 and 503,
// recover within 5 s of the database, and leak neither descriptors nor memory. At the end it gets
// SIGTERM under the same load.
#include <csignal>
#include <format>
#include <map>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "runtime/wait.h"
#include "testing/http_client.h"
#include "testing/installation.h"
#include "tests/proofs/actors/proof.h"

namespace shopbell::proofs {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using runtime::Steady;
using testing::Answer;
using testing::HttpClient;
using testing::Installation;

constexpr int kClients = 32;

// Clients that send requests without pause, on their own thread, and their counters.
class Load {
 public:
  Load(const Installation::Service& service, const std::string& key) {
    for (int i = 0; i < kClients; ++i) {
      clients_.push_back(std::make_unique<HttpClient>(loop_, service.host, service.port, key));
      asio::co_spawn(loop_, ask(*clients_.back()), asio::detached);
    }
    thread_ = std::jthread{[this] { loop_.run(); }};
  }
  ~Load() { stop(); }

  void stop() {
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
  }
  int count(int status) {
    const std::scoped_lock lock{mutex_};
    return statuses_[status];
  }
  int answered() {
    const std::scoped_lock lock{mutex_};
    int sum = 0;
    for (const auto& [status, times] : statuses_) sum += times;
    return sum;
  }
  int refused() const { return refused_; }
  int cut() const { return cut_; }
  Steady::time_point last_success() const { return last_success_; }

 private:
  asio::awaitable<void> ask(HttpClient& client) {
    while (!stopping_) {
      const Answer answer = co_await client.get("/store/");
      if (answer.outcome == Answer::Outcome::answered) {
        const std::scoped_lock lock{mutex_};
        ++statuses_[answer.status];
        if (answer.status == 200) last_success_ = Steady::now();
      } else if (answer.outcome == Answer::Outcome::cut) {
        ++cut_;
      } else {
        ++refused_;
        co_await runtime::sleep_for(10ms);
      }
      // After a 503 the client waits, but only briefly to keep up the load.
      if (answer.status == 503) co_await runtime::sleep_for(5ms);
    }
  }

  boost::asio::io_context loop_;
  std::vector<std::unique_ptr<HttpClient>> clients_;
  std::jthread thread_;
  std::mutex mutex_;
  std::map<int, int> statuses_;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> refused_ = 0;
  std::atomic<int> cut_ = 0;
  std::atomic<Steady::time_point> last_success_ = Steady::now();
};

// Returns the time from PostgreSQL accepting connections again to the first success.
std::optional<Steady::duration> recovery(Load& load, Steady::time_point database_back) {
  while (load.last_success() < database_back) {
    if (Steady::now() - database_back > 5s) return std::nullopt;
    std::this_thread::sleep_for(1ms);
  }
  return load.last_success() - database_back;
}

double seconds(Steady::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

Verdict database_restart(const Setting& setting) {
  const int restarts = setting.quick ? 2 : 50;
  Installation installation{setting.checkout, setting.binary};
  const std::string key = installation.create_unlimited_key("Restart");
  auto service = installation.start_service();
  Load load{service, key};
  std::this_thread::sleep_for(500ms);
  const std::size_t descriptors_before = service.process->open_descriptors().size();
  Steady::duration slowest{};
  int not_recovered = 0;
  for (int i = 1; i <= restarts; ++i) {
    progress(std::format("database-restart: {}/{}, {} answers", i, restarts, load.answered()));
    installation.crash_database();
    std::this_thread::sleep_for(
        std::chrono::milliseconds{(setting.seed + static_cast<std::uint64_t>(i) * 37) % 300});
    installation.resume_database();
    const auto took = recovery(load, Steady::now());
    if (took) slowest = std::max(slowest, *took);
    if (!took) ++not_recovered;
    if (!service.process->alive())
      return {.figures = std::format("the process exited at restart {}", i)};
    std::this_thread::sleep_for(100ms);
  }
  const std::size_t descriptors_after = service.process->open_descriptors().size();
  const int cut_by_restarts = load.cut();
  const int refused_by_restarts = load.refused();

  service.process->signal(SIGTERM);
  const auto exit_code = service.process->wait(15s);
  load.stop();
  const int cut_by_stop = load.cut() - cut_by_restarts;
  const int others = load.answered() - load.count(200) - load.count(503);
  const bool holds = others == 0 && cut_by_restarts == 0 && refused_by_restarts == 0 &&
                     cut_by_stop == 0 && not_recovered == 0 &&
                     descriptors_after <= descriptors_before && load.count(503) > 0 &&
                     exit_code == 0;
  Verdict verdict{.holds = holds,
                  .figures = std::format(
                      "{} restarts, {} answers: {} × 200, {} × 503, {} others, {} cut, {} refused; "
                      "slowest recovery {:.2f} s; "
                      "descriptors {} → {}; SIGTERM: {} accepted requests failed, exit {}",
                      restarts, load.answered(), load.count(200), load.count(503), others,
                      cut_by_restarts, refused_by_restarts, seconds(slowest), descriptors_before,
                      descriptors_after, cut_by_stop, exit_code.value_or(-1))};
  if (!holds) verdict.figures += std::format("; logs in {}", installation.keep_logs().string());
  return verdict;
}

}  // namespace shopbell::proofs
