// Millions of runs wait for timers, and many become due at once: also in the same microsecond, and
// while a session holds a snapshot open. No timer fires early or twice, none is forgotten, a timer
// that is due fires at once, and events take effect meanwhile. Waiting costs neither memory nor CPU
// time.
#include <algorithm>
#include <atomic>
#include <deque>
#include <filesystem>
#include <format>
#include <numeric>
#include <stdexcept>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "pg/script.h"
#include "runtime/wait.h"
#include "tests/proofs/actors/fleet.h"
#include "tests/proofs/actors/neighbours.h"
#include "tests/proofs/actors/proof.h"
#include "tests/proofs/actors/waiting_runs.h"

namespace shopbell::proofs {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using runtime::Steady;
using std::chrono::milliseconds;
using testing::Answer;
using testing::Installation;

constexpr std::int64_t kMemoryMost = 1024 * 1024;  // kB
constexpr double kIdlePercentMost = 2;             // of a core, of the process and PostgreSQL
constexpr double kDueP99Most = 1;                  // seconds
constexpr double kDrainMost = 120;                 // seconds
constexpr double kEventP99Most = 5;                // seconds
constexpr double kHeldRateLeast = 0.8;
constexpr std::int64_t kBytesPerRun = 1'200;  // on disk: half a contact, an enrolment, a timer
constexpr std::int64_t kBytesMore = std::int64_t{12} << 30U;  // WAL and room for sorting
constexpr std::size_t kLiveClients = 8;
constexpr std::size_t kLiveContacts = 100;

struct Shape {
  std::size_t accounts = 0;
  std::int64_t waiting = 0;    // runs that are not due
  RunSet due;                  // a few timers a second
  std::vector<RunSet> bursts;  // each due in one microsecond
  RunSet minute;
  milliseconds snapshot_at{0};
  RunSet during;             // fired timers that the snapshot keeps
  std::vector<RunSet> held;  // as `bursts`, at the end of the snapshot
  milliseconds end{0};
  milliseconds lead{0};  // the shortest time to load the sets that become due
  std::chrono::seconds idle{0};
  std::chrono::seconds most{0};  // to wait for timers that do not fire
  std::int64_t live_per_second = 0;

  std::vector<RunSet> sets() const {
    std::vector<RunSet> all{due};
    all.insert(all.end(), bursts.begin(), bursts.end());
    all.push_back(minute);
    all.push_back(during);
    all.insert(all.end(), held.begin(), held.end());
    return all;
  }
};

Shape quick_shape() {
  return {.accounts = 2,
          .waiting = 20'000,
          .due = {.key = "due", .runs = 100, .after = 0ms, .over = 1s},
          .bursts = {{.key = "burst-1", .runs = 2'000, .after = 1200ms}},
          .minute = {.key = "minute", .runs = 2'000, .after = 2500ms, .over = 2s},
          .snapshot_at = 4500ms,
          .during = {.key = "during", .runs = 1'000, .after = 4700ms},
          .held = {{.key = "held-1", .runs = 2'000, .after = 6s}},
          .end = 7s,
          .lead = 4s,
          .idle = 1s,
          .most = 60s,
          .live_per_second = 20};
}

// `runs`: 10 million at full size. The times leave a third of the machine's speed.
Shape full_shape(std::int64_t runs) {
  const std::int64_t burst = runs / 100;
  const auto bursts = [&](const std::string& name, milliseconds from) {
    std::vector<RunSet> all;
    for (int i = 0; i < 3; ++i)
      all.push_back({.key = std::format("{}-{}", name, i), .runs = burst, .after = from + i * 40s});
    return all;
  };
  return {.accounts = 20,
          .waiting = runs,
          .due = {.key = "due", .runs = 3'000, .after = 0ms, .over = 60s},
          .bursts = bursts("burst", 70s),
          .minute = {.key = "minute", .runs = runs / 10, .after = 200s, .over = 60s},
          .snapshot_at = 340s,
          .during = {.key = "during", .runs = 3 * burst, .after = 350s},
          .held = bursts("held", 820s),
          .end = 940s,
          .lead = 5s,
          .idle = 60s,
          .most = 600s,
          .live_per_second = 20};
}

// Sends events that each start a run, at a fixed rate, on a thread of its own.
class LiveEvents {
 public:
  LiveEvents(const Fleet& fleet, const std::string& key, std::int64_t per_second)
      : pause_{Steady::duration{1s} * std::int64_t{kLiveClients} / per_second} {
    for (std::size_t i = 0; i < kLiveClients; ++i) {
      auto& client = clients_.emplace_back(loop_, fleet, key);
      asio::co_spawn(loop_, send_on(client, i), asio::detached);
    }
    thread_ = std::jthread{[this] { loop_.run(); }};
  }
  ~LiveEvents() { stop(); }

  void stop() {
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
  }
  std::int64_t acknowledged() const { return acknowledged_; }
  std::int64_t refused() const { return refused_; }

 private:
  asio::awaitable<void> send_on(FleetClient& client, std::size_t number) {
    auto due = Steady::now() + pause_ * static_cast<int>(number) / static_cast<int>(kLiveClients);
    while (!stopping_) {
      if (const auto now = Steady::now(); now < due) co_await runtime::sleep_for(due - now);
      due = std::max(due + pause_, Steady::now());
      const std::int64_t event = next_++;
      const Answer answer = co_await client.send(
          0, {.method = "POST",
              .path = "/custom-events/alias/ring?createContact=true",
              .body = std::format(
                  R"({{"contact":{{"externalId":"live-{}"}},"payload":{{"cartId":"live-{}"}}}})",
                  static_cast<std::size_t>(event) % kLiveContacts, event)});
      ++(succeeded(answer) ? acknowledged_ : refused_);
    }
  }

  const Steady::duration pause_;
  asio::io_context loop_;
  std::deque<FleetClient> clients_;
  std::int64_t next_ = 0;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::int64_t> acknowledged_ = 0;
  std::atomic<std::int64_t> refused_ = 0;
  std::jthread thread_;
};

struct Found {
  std::int64_t differences = 0;
  double idle_process = 0;  // percent of a core
  double idle_database = 0;
  std::int64_t memory_kb = 0;
  FiredTimers due;
  std::vector<FiredTimers> bursts;
  FiredTimers minute;
  FiredTimers during;
  std::vector<FiredTimers> held;
  FiredTimers waiting;
  std::int64_t moved = 0;  // by the numbers of the workflows
  std::int64_t live_sent = 0;
  std::int64_t live_refused = 0;
  WaitingRuns::Started live;
};

void check_space(std::int64_t runs) {
  const auto directory = std::filesystem::temp_directory_path();
  const auto space = static_cast<std::int64_t>(std::filesystem::space(directory).available);
  const std::int64_t wanted = runs * kBytesPerRun + kBytesMore;
  if (space < wanted)
    throw std::runtime_error{std::format("{} runs need {} GB of disk space, and {} GB are free",
                                         runs, wanted >> 30U, space >> 30U)};
}

// Autovacuum of the loaded tables is no part of the idle time.
void await_vacuum(pg::Script& database) {
  const std::string working =
      "SELECT FROM pg_stat_activity WHERE backend_type = 'autovacuum worker'";
  for (const auto until = Steady::now() + 10min; Steady::now() < until;) {
    if (database.query(working).empty()) return;
    std::this_thread::sleep_for(500ms);
  }
}

void measure_idle(const Installation& installation, const Fleet& fleet, std::chrono::seconds length,
                  Found& found) {
  const double process = fleet.cpu_seconds(0);
  const double database = installation.database_cpu_seconds();
  std::this_thread::sleep_for(length);
  const auto seconds = static_cast<double>(length.count());
  found.idle_process = 100 * (fleet.cpu_seconds(0) - process) / seconds;
  found.idle_database = 100 * (installation.database_cpu_seconds() - database) / seconds;
}

// Sleeps until the time `after` the base.
void await(pg::Script& database, const std::string& base, milliseconds after) {
  const double left =
      std::stod(database
                    .query(std::format(
                        "SELECT extract(epoch FROM timestamptz '{}' - now())::text AS s", base))[0]
                    .text("s"));
  const auto pause = milliseconds{static_cast<std::int64_t>(left * 1000)} + after;
  if (pause > 0ms) std::this_thread::sleep_for(pause);
}

// Waits until so many people have moved; the figures show it if they do not.
void await_moved(WaitingRuns& runs, std::int64_t people, const Shape& shape) {
  for (const auto until = Steady::now() + shape.most; Steady::now() < until;) {
    if (runs.moved() >= people) return;
    std::this_thread::sleep_for(500ms);
  }
}

std::int64_t runs_in(const std::vector<RunSet>& sets) {
  return std::accumulate(sets.begin(), sets.end(), std::int64_t{0},
                         [](std::int64_t sum, const RunSet& set) { return sum + set.runs; });
}

// Loads the sets and watches them fire.
void watch(const Setting& setting, Installation& installation, const Fleet& fleet,
           WaitingRuns& runs, const Shape& shape, Found& found) {
  pg::Script database{installation.admin_url()};
  const auto sets = shape.sets();
  const double expected = static_cast<double>(runs_in(sets)) / runs.loaded_per_second();
  const auto lead = shape.lead + milliseconds{static_cast<std::int64_t>(2'000 * expected)};
  runs.use_first_contacts();
  const std::string base = runs.load(sets, lead);
  for (const auto& set : sets) found.differences += runs.differences(set.key);
  progress("timers: some are due every second, then many at once");
  await(database, base, shape.minute.after - 1s);
  progress("timers: many are due within a minute, beside events");
  {
    LiveEvents live{fleet, runs.api_key(), shape.live_per_second};
    await_moved(runs, shape.due.runs + runs_in(shape.bursts) + shape.minute.runs, shape);
    live.stop();
    found.live_sent = live.acknowledged();
    found.live_refused = live.refused();
  }
  await(database, base, shape.snapshot_at);
  progress("timers: beside an open snapshot");
  pg::Script snapshot{installation.admin_url()};
  snapshot.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM log_tick");
  await(database, base, shape.end);
  await_moved(runs, runs_in(sets), shape);
  snapshot.run("COMMIT");
  found.moved = runs.moved();
  if (!setting.quick) progress("timers: comparing all runs");
}

void judge(WaitingRuns& runs, const Shape& shape, Found& found) {
  found.due = runs.fired(shape.due.key);
  for (const auto& set : shape.bursts) found.bursts.push_back(runs.fired(set.key));
  found.minute = runs.fired(shape.minute.key);
  found.during = runs.fired(shape.during.key);
  for (const auto& set : shape.held) found.held.push_back(runs.fired(set.key));
  for (const auto* key : {"waiting-1", "waiting-2"}) {
    const FiredTimers some = runs.fired(key);
    found.waiting.runs += some.runs;
    found.waiting.fired += some.fired;
    found.waiting.wrong += some.wrong;
  }
  found.live = runs.started("live-");
}

double rate_of(const std::vector<FiredTimers>& bursts) {
  std::vector<double> rates;
  for (const auto& burst : bursts) rates.push_back(burst.per_second());
  return median(std::move(rates));
}

// Timers that were due, of all sets.
FiredTimers all_due(const Found& found) {
  FiredTimers sum;
  const auto add = [&](const FiredTimers& some) {
    sum.runs += some.runs;
    sum.fired += some.fired;
    sum.early += some.early;
    sum.wrong += some.wrong;
  };
  for (const auto& one : {found.due, found.minute, found.during}) add(one);
  for (const auto* some : {&found.bursts, &found.held}) std::ranges::for_each(*some, add);
  return sum;
}

bool is_correct(const Shape& shape, const Found& found) {
  const FiredTimers due = all_due(found);
  return found.differences == 0 && due.runs == runs_in(shape.sets()) && due.fired == due.runs &&
         due.early == 0 && due.wrong == 0 && found.moved == due.runs &&
         found.waiting.runs == shape.waiting && found.waiting.fired == 0 &&
         found.waiting.wrong == 0 && found.live_sent > 0 && found.live_refused == 0 &&
         found.live.runs == found.live_sent;
}

bool is_fast(const Found& found) {
  return found.memory_kb <= kMemoryMost &&
         found.idle_process + found.idle_database <= kIdlePercentMost &&
         found.due.p99_s <= kDueP99Most && found.minute.drained_s <= kDrainMost &&
         found.live.p99_s <= kEventP99Most &&
         rate_of(found.held) >= kHeldRateLeast * rate_of(found.bursts);
}

std::string figures_of(const Shape& shape, const Found& found, bool judged) {
  const FiredTimers due = all_due(found);
  return std::format(
      "{} runs wait in {} accounts: {} MB of memory, idle {:.2f} % of a core and PostgreSQL "
      "{:.2f} %; {} timers due one by one: p99 {:.0f} ms late; {} due in the same microsecond: "
      "{:.0f}/s; {} due within {:.0f} s: drained in {:.0f} s, {} events beside them: p99 {:.0f} ms "
      "from commit to effect; beside a snapshot of {:.0f} s: {:.0f}/s ({:.2f} of the rate "
      "without){}; of {} timers {} not fired, {} early, {} wrong; {} of the others fired; {} of {} "
      "events without effect, {} refused; loaded rows differ in {} columns",
      found.waiting.runs, shape.accounts, found.memory_kb / 1024, found.idle_process,
      found.idle_database, found.due.runs, 1000 * found.due.p99_s, shape.bursts.front().runs,
      rate_of(found.bursts), found.minute.runs,
      std::chrono::duration<double>(shape.minute.over).count(), found.minute.drained_s,
      found.live.runs, 1000 * found.live.p99_s,
      std::chrono::duration<double>(shape.end - shape.snapshot_at).count(), rate_of(found.held),
      rate_of(found.held) / std::max(rate_of(found.bursts), 0.001),
      judged ? "" : " (times not judged)", due.runs, due.runs - due.fired, due.early, due.wrong,
      found.waiting.fired, found.live_sent - found.live.runs, found.live_sent, found.live_refused,
      found.differences);
}

}  // namespace

Verdict timers(const Setting& setting) {
  const Shape shape = setting.quick ? quick_shape() : full_shape(setting.size.value_or(10'000'000));
  if (!setting.quick) check_space(shape.waiting);
  Installation installation{setting.checkout, setting.binary};
  WaitingRuns::record_commit_times(installation);
  Fleet fleet{installation, 1};
  std::vector<std::string> keys{"waiting-1", "waiting-2"};
  for (const auto& set : shape.sets()) keys.push_back(set.key);
  Found found;
  WaitingRuns runs{installation, fleet, shape.accounts, keys};
  std::jthread memory{[&](const std::stop_token& stopping) {
    for (; !stopping.stop_requested(); std::this_thread::sleep_for(200ms))
      found.memory_kb = std::max(found.memory_kb, fleet.memory_kb(0));
  }};

  progress("timers: loading contacts");
  const std::int64_t contacts = shape.waiting / 2;
  runs.load_contacts(contacts / static_cast<std::int64_t>(shape.accounts));
  for (const auto* key : {"waiting-1", "waiting-2"}) {
    runs.use_first_contacts();
    runs.load({{.key = key, .runs = contacts, .over = std::chrono::days{27}}},
              std::chrono::days{1});
    found.differences += runs.differences(key);
  }
  {
    pg::Script database{installation.admin_url()};
    progress("timers: vacuum");
    database.run("VACUUM (ANALYZE) run");
    for (const auto* table : {"contact", "enrolment", "timer"})
      database.run(std::format("VACUUM (ANALYZE) {}", table));
    database.run("CHECKPOINT");
    await_vacuum(database);
  }
  progress("timers: idle");
  measure_idle(installation, fleet, shape.idle, found);
  watch(setting, installation, fleet, runs, shape, found);
  judge(runs, shape, found);
  memory.request_stop();
  memory.join();

  const bool judged = judges_times(setting);
  const bool holds = is_correct(shape, found) && (!judged || is_fast(found)) && fleet.alive();
  std::string figures = figures_of(shape, found, judged);
  if (!holds) figures += std::format("; logs in {}", installation.keep_logs().string());
  return {.holds = holds, .figures = std::move(figures)};
}

}  // namespace shopbell::proofs
