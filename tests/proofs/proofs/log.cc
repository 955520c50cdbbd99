// Events go through the log to one reader under all failures that could lose, repeat or reorder
// them. Processes are killed; one is stopped until others have taken its lanes, then resumed;
// PostgreSQL crashes; the ticker is killed. The reader's effects are compared with the writers'
// ledger.
#include <algorithm>
#include <format>
#include <functional>
#include <stdexcept>
#include <thread>

#include "tests/proofs/actors/contact_ledger.h"
#include "tests/proofs/actors/fleet.h"
#include "tests/proofs/actors/log_load.h"
#include "tests/proofs/actors/log_sink.h"
#include "tests/proofs/actors/neighbours.h"
#include "tests/proofs/actors/proof.h"
#include "tests/proofs/actors/webhook_site.h"

namespace shopbell::proofs {

namespace {

using namespace std::chrono_literals;
using runtime::Steady;
using testing::Answer;
using testing::Installation;

constexpr auto kCaughtUp = 10s;  // maximum time until readers have caught up after a failure
constexpr int kPoisons = 3;
// Name of the constraint that poison events violate.
constexpr std::string_view kObjection = "no_poison";

struct Shape {
  LogPlan plan;
  std::size_t processes = 0;
  int rounds = 0;  // number of rounds of each failure
  std::chrono::seconds frozen;
};

Shape shape_of(const Setting& setting) {
  if (setting.quick)
    return {.plan = {.events = 20'000,
                     .contacts = 400,
                     .hot = 10,
                     .writers = 32,
                     .lines = 20,
                     .per_second = 1'000},
            .processes = 3,
            .rounds = 1,
            .frozen = 8s};
  return {.plan = {.events = 1'000'000,
                   .contacts = 10'000,
                   .hot = 20,
                   .writers = 32,
                   .lines = 25,
                   .per_second = 3'000},
          .processes = 5,
          .rounds = 3,
          .frozen = 30s};
}

class LogFaultInjector {
 public:
  LogFaultInjector(const Setting& setting, const Shape& shape, Installation& installation,
                   Fleet& fleet, LogLoad& load)
      : shape_{shape},
        installation_{installation},
        fleet_{fleet},
        load_{load},
        random_{setting.seed} {}

  // Runs each failure in turn, spread over the events.
  void run() {
    using Fault = void (LogFaultInjector::*)();
    const std::vector<Fault> faults{&LogFaultInjector::kill, &LogFaultInjector::freeze,
                                    &LogFaultInjector::crash, &LogFaultInjector::kill_ticker};
    const int all = shape_.rounds * static_cast<int>(faults.size());
    for (int i = 0; i < all; ++i) {
      await_share((i + 0.5) / (all + 1));
      progress(std::format("log: fault {}/{}, {} events acknowledged", i + 1, all,
                           load_.acknowledged.load()));
      (this->*faults[static_cast<std::size_t>(i) % faults.size()])();
    }
    await_share(1);
  }

  int killed = 0;
  int frozen = 0;
  int crashed = 0;
  int tickers_killed = 0;
  int not_caught_up = 0;
  double fenced = 0;  // transactions that the fence rejected after a process was stopped too long
  Steady::duration slowest{};

 private:
  void await_share(double share) {
    const auto wanted = static_cast<std::int64_t>(static_cast<double>(shape_.plan.events) * share);
    const auto until = Steady::now() + 20min;
    while (load_.acknowledged < wanted && Steady::now() < until) {
      std::this_thread::sleep_for(20ms);
      if (share == 1) progress(std::format("log: {}/{} events", load_.acknowledged.load(), wanted));
    }
  }

  void kill() {
    kill_and_restart(random_() % fleet_.size());
    ++killed;
  }

  void kill_ticker() {
    std::optional<std::size_t> ticker;
    for (int i = 0; i < 200 && !ticker; ++i) {
      pg::Script database{installation_.admin_url()};
      const pg::Result found = database.query("SELECT owner::text AS owner FROM log_ticker");
      ticker = fleet_.find(found[0].maybe_text("owner").value_or(""));
      if (!ticker) std::this_thread::sleep_for(50ms);
    }
    if (!ticker) throw std::runtime_error{"no process of the fleet is the ticker"};
    kill_and_restart(*ticker);
    ++tickers_killed;
  }

  // Kills a process. The other processes must take over its lanes before it restarts.
  void kill_and_restart(std::size_t which) {
    fleet_.kill(which);
    catch_up();
    fleet_.start(which);
    catch_up();
  }

  void crash() {
    installation_.crash_database();
    std::this_thread::sleep_for(500ms);
    installation_.resume_database();
    catch_up();
    ++crashed;
  }

  // Stops a process while it waits for events, so that after resuming it first reads lanes it no
  // longer owns. A lock delays heartbeats, which would otherwise tell it that it lost them.
  void freeze() {
    const std::size_t which = random_() % fleet_.size();
    load_.hold(true);
    std::this_thread::sleep_for(1500ms);
    const double before = fleet_.metric(which, "shopbell_log_fenced_total");
    const auto resume_at = Steady::now() + shape_.frozen;
    fleet_.freeze(which);
    load_.hold(false);
    std::this_thread::sleep_for(100ms);
    catch_up();
    std::this_thread::sleep_until(resume_at);
    pg::Script database{installation_.admin_url()};
    database.run("BEGIN; LOCK TABLE heartbeat IN SHARE MODE");
    fleet_.resume(which);
    std::this_thread::sleep_for(1500ms);
    database.run("COMMIT");
    fenced += fleet_.metric(which, "shopbell_log_fenced_total") - before;
    catch_up();
    ++frozen;
  }

  // Waits until all acknowledged events have had their effect. The writers continue, because ticks
  // need new events.
  void catch_up() {
    pg::Script database{installation_.admin_url()};
    const auto took = await_webhook_reader(database, 6 * kCaughtUp);
    slowest = std::max(slowest, took);
    if (took > kCaughtUp) ++not_caught_up;
  }

  const Shape& shape_;
  Installation& installation_;
  Fleet& fleet_;
  LogLoad& load_;
  std::mt19937_64 random_;
};

// Adds a trigger that rejects poison events, so that the error appears only when the reader's
// statement runs.
void object_to_poison(pg::Script& database) {
  database.run(
      std::format("CREATE FUNCTION object_to_poison() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
                  "RAISE check_violation USING CONSTRAINT = '{}'; END $$; "
                  "CREATE TRIGGER object_to_poison BEFORE INSERT ON webhook_delivery FOR EACH ROW "
                  "WHEN (NEW.kind = 'custom.poison') EXECUTE FUNCTION object_to_poison()",
                  kObjection));
}

void send_poison(const Fleet& fleet, const std::string& key) {
  for (int i = 0; i < kPoisons; ++i) {
    const Answer answer =
        ask_once(fleet, 0, key,
                 {.method = "POST",
                  .path = "/custom-events/alias/poison",
                  .body = std::format(R"({{"contact":{{"externalId":"{}"}},"payload":{{}}}})",
                                      log_contact(static_cast<std::size_t>(i)))});
    if (!succeeded(answer))
      throw std::runtime_error{std::format("no poison: {} {}", answer.status, answer.body)};
  }
}

struct ParkedFigures {
  std::int64_t poison = 0;  // events that were parked because they violate the constraint
  std::int64_t others = 0;
};

ParkedFigures look_at_parked(pg::Script& database) {
  const pg::Result found = database.query(std::format(
      "SELECT count(*) FILTER (WHERE poison) AS poison, count(*) FILTER (WHERE NOT poison) AS "
      "others FROM (SELECT kind = 'custom.poison' AND reason LIKE '%{}%' AS poison "
      "FROM log_parked WHERE reader = 'webhooks') parked",
      kObjection));
  return {.poison = found[0].integer("poison"), .others = found[0].integer("others")};
}

// Waits for the expected number of effects, at most a minute.
void await_sink(pg::Script& database, std::int64_t wanted) {
  const std::string query =
      "SELECT count(*) AS n FROM webhook_delivery WHERE kind IN ('custom.ring', 'contact.updated')";
  for (const auto until = Steady::now() + 60s;
       Steady::now() < until && database.query(query)[0].integer("n") < wanted;)
    std::this_thread::sleep_for(500ms);
  std::this_thread::sleep_for(2s);  // a late duplicate would appear within this time
}

std::string figures_of(const Shape& shape, const LogFaultInjector& injector, const LogLoad& load,
                       const SinkFigures& sink, const ParkedFigures& parked,
                       const RivalReaders& rivals, double seconds) {
  return std::format(
      "{} processes, {} writers, {} contacts of which {} have half of {} events, {} changes of "
      "contacts ({:.0f} events/s); {} × kill -9, {} × stopped for {} s, {} × PostgreSQL crashed, "
      "{} × the ticker killed: {} effects, {} lost, {} doubled, {} inversions, {} changes out of "
      "order, {} contacts with gaps, {} unexpected; caught up after {:.1f} s at the latest, {} × "
      "not "
      "within {} s; {:.0f} transactions of stopped processes rejected; {} of {} poison events "
      "parked, {} others; {} retries, {} stuck, {} kinds of unexpected response; simpler readers "
      "on "
      "the same load: id > last lost {} of {}, (xid, id) inverted {} of {}",
      shape.processes, shape.plan.writers, shape.plan.contacts, shape.plan.hot,
      load.acknowledged.load(), load.changes.load(),
      static_cast<double>(load.acknowledged.load()) / seconds, injector.killed, injector.frozen,
      shape.frozen.count(), injector.crashed, injector.tickers_killed, sink.rows, sink.lost,
      sink.doubled, sink.inversions, sink.disorder, sink.gaps, sink.unasked,
      std::chrono::duration<double>(injector.slowest).count(), injector.not_caught_up,
      kCaughtUp.count(), injector.fenced, parked.poison, kPoisons, parked.others, load.retried,
      load.stuck, load.others.size(), rivals.lost_by_id, rivals.read_by_id + rivals.lost_by_id,
      rivals.inverted_by_transaction, rivals.read_by_transaction);
}

}  // namespace

Verdict log(const Setting& setting) {
  const Shape shape = shape_of(setting);
  Installation installation{setting.checkout, setting.binary};
  const std::string key = installation.create_unlimited_key("Log");
  Fleet fleet{installation, shape.processes};
  progress("log: making contacts");
  define_event_types(fleet, key, {"ring", "poison"});
  create_contacts(fleet, key, shape.plan.contacts);
  create_paused_endpoint(fleet, key);
  {
    pg::Script database{installation.admin_url()};
    object_to_poison(database);
  }
  const auto started = Steady::now();
  RivalReaders rivals{installation.admin_url()};
  LogLoad load{fleet, key, installation.admin_url(), shape.plan, setting.seed};
  std::this_thread::sleep_for(1s);
  send_poison(fleet, key);
  LogFaultInjector injector{setting, shape, installation, fleet, load};
  injector.run();
  load.stop();
  rivals.stop();
  const double seconds = std::chrono::duration<double>(Steady::now() - started).count();

  progress("log: comparing");
  pg::Script database{installation.admin_url()};
  std::vector<LedgerEvent> ledger = load.ledger();
  const auto certain = std::ranges::count_if(
      ledger, [](const LedgerEvent& event) { return event.acknowledged != 0; });
  await_sink(database, certain + load.changes);
  const SinkFigures sink = compare_sink(std::move(ledger), load.changes, database);
  const ParkedFigures parked = look_at_parked(database);
  // A process may be stopped during a query, and then notices its timeout before it reaches the
  // fence. At least one of several must have reached the fence.
  const bool fence_met = setting.quick || injector.fenced > 0;
  const bool holds = sink.exact() && parked.poison == kPoisons && parked.others == 0 &&
                     injector.not_caught_up == 0 && fence_met && load.others.empty() &&
                     load.stuck == 0 && load.acknowledged >= shape.plan.events && fleet.alive();
  std::string figures = figures_of(shape, injector, load, sink, parked, rivals, seconds);
  for (const auto& [what, times] : load.others) figures += std::format("; {} × {}", times, what);
  for (const auto& example : sink.examples) figures += "; " + example;
  if (!holds) figures += std::format("; logs in {}", installation.keep_logs().string());
  return {.holds = holds, .figures = std::move(figures)};
}

}  // namespace shopbell::proofs
