// Processes and PostgreSQL are killed, stopped and frozen repeatedly while clients write contacts
// over two processes. Each client records all responses in a ledger; at the end every contact and
// event is compared with it.
#include <algorithm>
#include <format>
#include <random>
#include <thread>

#include "runtime/wait.h"
#include "tests/proofs/actors/contact_ledger.h"
#include "tests/proofs/actors/frozen_backends.h"
#include "tests/proofs/actors/process_pair.h"
#include "tests/proofs/actors/proof.h"
#include "tests/proofs/actors/side_workflow.h"
#include "tests/proofs/actors/write_load.h"

namespace shopbell::proofs {

namespace {

using namespace std::chrono_literals;
using runtime::Steady;
using testing::Installation;

constexpr std::size_t kWriters = 24;

// Kills and stops processes and PostgreSQL in random order, one at a time. Checks that the writers
// recover.
class FaultInjector {
 public:
  FaultInjector(const Setting& setting, Installation& installation, ProcessPair& pair,
                WriteLoad& load)
      : installation_{installation}, pair_{pair}, load_{load}, random_{setting.seed} {}

  void run(int each) {
    enum class What { kill, crash, stop, freeze };
    std::vector<What> plan;
    for (int i = 0; i < each; ++i) plan.insert(plan.end(), {What::kill, What::crash, What::stop});
    plan.insert(plan.end(), static_cast<std::size_t>(each / 2), What::freeze);
    std::ranges::shuffle(plan, random_);
    for (std::size_t i = 0; i < plan.size(); ++i) {
      progress(std::format("kill-writes: {}/{}, {} writes acknowledged", i + 1, plan.size(),
                           load_.tally.acknowledged.load()));
      std::this_thread::sleep_for(std::chrono::milliseconds{200 + random_() % 600});
      if (plan[i] == What::kill) kill();
      if (plan[i] == What::crash) crash();
      if (plan[i] == What::stop) stop();
      if (plan[i] == What::freeze) freeze();
      await_recovery();
    }
    std::this_thread::sleep_for(500ms);
  }

  int killed = 0;
  int crashed = 0;
  int stopped = 0;
  int frozen = 0;
  int bad_exits = 0;
  int not_recovered = 0;
  Steady::duration slowest{};

 private:
  void kill() {
    pair_.kill_and_restart(random_() % 2);
    ++killed;
  }

  void crash() {
    installation_.crash_database();
    std::this_thread::sleep_for(std::chrono::milliseconds{random_() % 300});
    installation_.resume_database();
    ++crashed;
  }

  void stop() {
    if (pair_.stop_and_restart(random_() % 2) != 0) ++bad_exits;
    ++stopped;
  }

  // Requests time out at every await of a write.
  void freeze() {
    freeze_backends(installation_.admin_url(), random_);
    ++frozen;
  }

  // Waits for the first success after all processes are back, and measures the time.
  void await_recovery() {
    const auto back = Steady::now();
    while (load_.tally.last_success.load() < back) {
      if (Steady::now() - back > 5s) {
        ++not_recovered;
        return;
      }
      std::this_thread::sleep_for(1ms);
    }
    slowest = std::max(slowest, Steady::now() - back);
  }

  Installation& installation_;
  ProcessPair& pair_;
  WriteLoad& load_;
  std::mt19937_64 random_;
};

std::string figures_of(const FaultInjector& injector, const WriterTally& tally,
                       const Comparison& found, const ProcessPair::Cuts& cuts, double per_second) {
  return std::format(
      "{} × kill -9, {} × PostgreSQL crashed, {} × SIGTERM, {} × frozen, {} writers, 2 processes: "
      "{} "
      "acknowledgements ({:.0f}/s), {} contacts, {} events: {} missing, {} twice, {} out of order, "
      "{} unexpected, {} contacts different; {} cut by kill -9, {} × 503, {} × 409 in progress, {} "
      "unneeded retries, {} unacknowledged writes were committed, {} of unknown outcome; SIGTERM: "
      "{} "
      "accepted requests failed ({} on new connections), {} bad exits; {} unexpected responses, {} "
      "cut and {} refused by running processes, {} stuck; {} × not back in 5 s, slowest {:.2f} s",
      injector.killed, injector.crashed, injector.stopped, injector.frozen, kWriters,
      tally.acknowledged.load(), per_second, found.contacts, found.events, found.missing,
      found.twice, found.disorder, found.unasked, found.different, cuts.by_kill,
      tally.unavailable.load(), tally.in_progress, tally.blind, tally.happened, tally.unknown,
      cuts.by_stop, cuts.before_accept, injector.bad_exits, tally.others, cuts.of_living,
      cuts.refused_by_living, tally.stuck, injector.not_recovered,
      std::chrono::duration<double>(injector.slowest).count());
}

}  // namespace

Verdict kill_writes(const Setting& setting) {
  Installation installation{setting.checkout, setting.binary};
  const std::string key = installation.create_unlimited_key("Kill");
  ProcessPair pair{installation};
  const std::string greets_since =
      publish_greeting(installation.admin_url(), pair.life(0).host, pair.life(0).port, key);
  WriteLoad load{pair, key, setting.seed, kWriters};
  FaultInjector injector{setting, installation, pair, load};
  const auto started = Steady::now();
  injector.run(setting.quick ? 2 : 20);
  load.stop();
  const double seconds = std::chrono::duration<double>(Steady::now() - started).count();
  progress("kill-writes: comparing");
  Comparison found;
  pg::Script database{installation.admin_url()};  // connections of before were cut
  compare_rows(load.ledgers(), database, found);
  compare_answers(load.ledgers(), pair, key, found);
  const Greetings greetings = compare_greetings(database, greets_since);
  const WriterTally& tally = load.tally;
  const auto cuts = pair.cuts();
  // A run without cut connections and without 503s proves nothing.
  const bool failures_hit = cuts.by_kill > 0 && tally.unavailable > 0 && tally.acknowledged > 0;
  const bool holds = found.exact() && greetings.exact() && failures_hit && cuts.by_stop == 0 &&
                     cuts.of_living == 0 && cuts.refused_by_living == 0 &&
                     injector.bad_exits == 0 && injector.not_recovered == 0 && tally.others == 0 &&
                     tally.stuck == 0 && pair.alive();
  std::string figures =
      figures_of(injector, tally, found, cuts, tally.acknowledged.load() / seconds);
  figures += "; " + greetings.text();
  for (const auto& example : found.examples) figures += "; " + example;
  for (const auto& example : tally.examples) figures += "; " + example;
  if (!holds) figures += std::format("; logs in {}", installation.keep_logs().string());
  return {.holds = holds, .figures = std::move(figures)};
}

}  // namespace shopbell::proofs
