// The clocks of PostgreSQL and of the service cross the end of a month, of February and of a year
// under load, and are set back by an hour. No write may fail, every acknowledged event reaches the
// log's reader once, and the new month has a partition. The processes preload a library that moves
// their wall clock; their monotonic clock is the machine's.
#include <algorithm>
#include <format>
#include <sstream>
#include <thread>

#include "runtime/wait.h"
#include "tests/proofs/actors/contact_ledger.h"
#include "tests/proofs/actors/fleet.h"
#include "tests/proofs/actors/log_load.h"
#include "tests/proofs/actors/log_sink.h"
#include "tests/proofs/actors/moved_clock.h"
#include "tests/proofs/actors/proof.h"
#include "tests/proofs/actors/webhook_site.h"
#include "tests/proofs/actors/write_load.h"

namespace shopbell::proofs {

namespace {

using namespace std::chrono;  // NOLINT: dates are read best without the namespace
using runtime::Steady;
using testing::Installation;

constexpr auto kReadWithin = 10s;  // from a commit until the log's reader has processed its event
constexpr auto kStartedBefore = 60s;  // time from the start of the servers to the boundary
constexpr auto kIdle = 60s;           // without a delivery for this long, the rest is lost
constexpr auto kSetBack = 1h;
constexpr std::int64_t kMonthsAhead = 2;

struct Shape {
  LogPlan plan;
  std::size_t contact_writers = 0;
  seconds after;     // load after the boundary
  seconds set_back;  // load while the clock is an hour behind
};

Shape shape_of(const Setting& setting) {
  if (setting.quick)
    return {.plan = {.contacts = 100, .hot = 10, .writers = 8, .lines = 5, .per_second = 200},
            .contact_writers = 2,
            .after = 3s,
            .set_back = 3s};
  return {.plan = {.contacts = 1'000, .hot = 100, .writers = 16, .lines = 10, .per_second = 500},
          .contact_writers = 6,
          .after = 75s,  // the upkeep creates partitions once a minute
          .set_back = 60s};
}

struct Round {
  std::string name;
  year_month month;  // the month that begins
  bool sets_back = false;
};

// Boundaries of each kind, the next ones after today.
std::vector<Round> rounds_of(const Setting& setting) {
  const year_month_day today{floor<days>(system_clock().now())};
  year_month month = today.year() / today.month() + months{1};
  while (month.month() == January || month.month() == March) month += months{1};
  year common = today.year() + years{1};
  while (common.is_leap()) ++common;
  year leap = today.year() + years{1};
  while (!leap.is_leap()) ++leap;
  const year_month new_year = (today.year() + years{1}) / January;
  if (setting.quick) return {{"a year, then set back", new_year, true}};
  return {{"a month", month},
          {"February", common / March},
          {"February of a leap year", leap / March},
          {"a year", new_year},
          {"a month, then set back", month, true}};
}

std::string partition_of(year_month month) {
  return std::format("event_{:04}_{:02}", static_cast<int>(month.year()),
                     static_cast<unsigned>(month.month()));
}

struct RoundFigures {
  std::int64_t writes = 0;
  std::int64_t failed = 0;      // without a 2xx
  std::int64_t effects = 0;     // of the log's reader
  std::int64_t delivered = 0;   // accepted by the endpoint
  std::int64_t waiting = 0;     // deliveries that wait for the clock
  std::int64_t wrong = 0;       // effects and contacts that differ from the ledgers
  std::int64_t unread = 0;      // times that the reader was late
  std::int64_t partitions = 0;  // missing, or without rows
  std::int64_t clocks = 0;      // processes that did not cross the boundary
  Steady::duration slowest{};
  std::vector<std::string> examples;

  bool good() const {
    return writes > 0 && failed == 0 && delivered > 0 && wrong == 0 && unread == 0 &&
           partitions == 0 && clocks == 0 && waiting == 0;
  }
  void note(const std::string& example) {
    if (examples.size() < 8) examples.push_back(example);
  }
};

// An installation whose clock crosses the boundary of one round.
class Crossing {
 public:
  Crossing(const Setting& setting, const Shape& shape, const Round& round)
      : setting_{setting},
        shape_{shape},
        round_{round},
        boundary_{sys_days{round.month / 1}},
        clock_{boundary_ - kStartedBefore},
        site_{setting.checkout, 1s},
        installation_{setting.checkout, setting.binary, environment()} {}

  RoundFigures run() {
    const std::string key = installation_.create_unlimited_key("Events");
    const std::string contacts_key = installation_.create_unlimited_key("Contacts");
    Fleet fleet{installation_, 1};  // first: it counts the installation's services
    ProcessPair pair{installation_};
    define_event_types(fleet, key, {"ring"});
    create_contacts(fleet, key, shape_.plan.contacts);
    const std::string sink = create_paused_endpoint(fleet, key);
    site_.create_endpoint(fleet, key, "/sink-calendar");
    pg::Script database{installation_.admin_url()};
    // A quick run does not wait: its clock jumps to shortly before the boundary. There is no load
    // yet, because PostgreSQL ends statements whose timeouts have passed by the new time.
    if (setting_.quick) clock_.set(std::max(clock_.now(), boundary_ - 5s));
    {
      LogLoad load{fleet, key, installation_.admin_url(), shape_.plan, setting_.seed};
      WriteLoad contacts{pair, contacts_key, setting_.seed, shape_.contact_writers};
      cross(fleet, database);
      contacts.stop();
      load.stop();
      judge_writes(load, contacts, pair);
      judge_events(load, sink, database);
      Comparison found;
      compare_rows(contacts.ledgers(), database, found, account_of("Contacts", database));
      compare_answers(contacts.ledgers(), pair, contacts_key, found);
      if (!found.exact()) ++figures_.wrong;
      for (const auto& example : found.examples) figures_.note(example);
    }
    if (!fleet.alive() || !pair.alive()) ++figures_.failed;
    if (!figures_.good()) figures_.note("logs in " + installation_.keep_logs().string());
    return std::move(figures_);
  }

 private:
  Installation::Environment environment() const {
    auto shopbell = clock_.environment();
    shopbell.merge(site_.environment());
    return {.servers = clock_.environment(), .shopbell = std::move(shopbell)};
  }

  void cross(const Fleet& fleet, pg::Script& database) {
    check_clocks(fleet, database, false);
    sleep_until(boundary_ + shape_.after);
    check_clocks(fleet, database, true);
    await_reader(database);
    check_partitions(database);
    if (!round_.sets_back) return;
    clock_.set(clock_.now() - kSetBack);
    std::this_thread::sleep_for(shape_.set_back);
    check_clocks(fleet, database, false);
    await_reader(database);
    figures_.waiting = count_waiting(database);
  }

  void sleep_until(Instant at) {
    while (clock_.now() < at) {
      progress(std::format("calendar: {}, {:%T} until the boundary", round_.name,
                           floor<seconds>(boundary_ - clock_.now())));
      std::this_thread::sleep_for(std::min<nanoseconds>(500ms, at - clock_.now()));
    }
  }

  // Checks on which side of the boundary PostgreSQL and the service are.
  void check_clocks(const Fleet& fleet, pg::Script& database, bool after) {
    const bool of_database = database
                                 .query(std::format("SELECT clock_timestamp() >= '{}' AS after",
                                                    to_rfc3339(boundary_)))[0]
                                 .boolean("after");
    const std::string date = ask_once(fleet, 0, "", {.path = "/store/"}).header("Date");
    std::istringstream text{date};
    sys_seconds at;
    text >> parse("%a, %d %b %Y %H:%M:%S GMT", at);
    const bool of_service = at >= boundary_;
    if (of_database == after && of_service == after) return;
    ++figures_.clocks;
    figures_.note(std::format("PostgreSQL is {} the boundary, the service's clock shows {}",
                              of_database ? "after" : "before", date));
  }

  void await_reader(pg::Script& database) {
    const auto took = await_webhook_reader(database, 3 * kReadWithin);
    figures_.slowest = std::max(figures_.slowest, took);
    if (took > kReadWithin) ++figures_.unread;
  }

  static std::string states_of_deliveries(pg::Script& database) {
    return database
        .query(
            "SELECT string_agg(format('%s %s after %s attempts', n, state, attempts), ', ') AS it "
            "FROM (SELECT d.state, attempts, count(*) AS n FROM webhook_delivery d "
            "JOIN webhook w USING (account_id, webhook_id) WHERE w.state = 'enabled' GROUP BY 1, "
            "2) "
            "counted")[0]
        .text("it");
  }

  // Deliveries that wait for the hour that the clock was set back.
  static std::int64_t count_waiting(pg::Script& database) {
    return database
        .query(
            "SELECT count(*) AS n FROM webhook_delivery JOIN webhook w USING (account_id, "
            "webhook_id) "
            "WHERE w.state = 'enabled' AND webhook_delivery.state = 'due' AND "
            "due_at > now() + interval '10 minutes'")[0]
        .integer("n");
  }

  void check_partitions(pg::Script& database) {
    std::vector<year_month> with_rows{round_.month - months{1}, round_.month};
    for (const auto month : with_rows) {
      const pg::Result found = database.query(
          std::format("SELECT count(*) AS n FROM event WHERE tableoid = to_regclass('{}') AND "
                      "date_trunc('month', received_at, 'UTC') = '{}'",
                      partition_of(month), to_rfc3339(Instant{sys_days{month / 1}})));
      if (found[0].integer("n") > 0) continue;
      ++figures_.partitions;
      figures_.note(partition_of(month) + " has no rows of its month");
    }
    // The months ahead come from the upkeep, which a quick run does not wait for.
    const year_month last = round_.month + months{setting_.quick ? 1 : kMonthsAhead};
    for (auto month = round_.month; month <= last; month += months{1}) {
      const std::string name = partition_of(month);
      if (!database.query(std::format("SELECT 1 WHERE to_regclass('{}') IS NOT NULL", name))
               .empty())
        continue;
      ++figures_.partitions;
      figures_.note(name + " is missing");
    }
  }

  void judge_writes(const LogLoad& load, const WriteLoad& contacts, const ProcessPair& pair) {
    const WriterTally& tally = contacts.tally;
    const auto cuts = pair.cuts();
    figures_.writes = load.acknowledged + load.changes + tally.acknowledged;
    figures_.failed += load.retried + load.stuck + tally.unavailable + tally.others + tally.stuck +
                       cuts.of_living + cuts.refused_by_living;
    if (figures_.failed > 0)
      figures_.note(std::format("{} retries, {} × 503, {} cut, {} refused, {} stuck", load.retried,
                                tally.unavailable.load(), cuts.of_living, cuts.refused_by_living,
                                load.stuck + tally.stuck));
    for (const auto& [what, times] : load.others) {
      figures_.failed += times;
      figures_.note(std::format("{} × {}", times, what));
    }
    for (const auto& example : tally.examples) figures_.note(example);
  }

  void judge_events(const LogLoad& load, const std::string& sink, pg::Script& database) {
    std::vector<LedgerEvent> ledger = load.ledger();
    const auto events = std::ranges::count_if(
        ledger, [](const LedgerEvent& event) { return event.acknowledged != 0; });
    const std::string rows =
        std::format("SELECT count(*) AS n FROM webhook_delivery WHERE webhook_id = '{}'", sink);
    // Deliveries of one contact are sent one after the other, so a slow machine has a backlog.
    auto until = Steady::now() + kIdle;
    while ((figures_.delivered < events ||
            database.query(rows)[0].integer("n") < events + load.changes) &&
           Steady::now() < until) {
      std::this_thread::sleep_for(100ms);
      const std::int64_t delivered = site_.accepted_by_sinks();
      if (delivered > figures_.delivered) until = Steady::now() + kIdle;
      figures_.delivered = delivered;
    }
    std::this_thread::sleep_for(1s);  // a late duplicate would appear within this time
    if (figures_.delivered < events) {
      figures_.wrong += events - figures_.delivered;
      figures_.note("of all deliveries " + states_of_deliveries(database));
      figures_.note(
          std::format("{} of {} events arrived at the endpoint", figures_.delivered, events));
    }
    const SinkFigures found = compare_sink(std::move(ledger), load.changes, database, sink);
    figures_.effects = found.rows;
    if (!found.exact()) {
      ++figures_.wrong;
      figures_.note(std::format(
          "{} lost, {} doubled, {} inversions, {} changes out of order, {} "
          "gaps, {} unexpected",
          found.lost, found.doubled, found.inversions, found.disorder, found.gaps, found.unasked));
    }
    for (const auto& example : found.examples) figures_.note(example);
  }

  static std::int64_t account_of(const std::string& store, pg::Script& database) {
    return database
        .query(std::format("SELECT account_id FROM account WHERE name = '{}' AND "
                           "live_account_id IS NULL",
                           store))[0]
        .integer("account_id");
  }

  const Setting& setting_;
  const Shape& shape_;
  const Round& round_;
  const Instant boundary_;
  MovedClock clock_;
  WebhookSite site_;
  Installation installation_;
  RoundFigures figures_;
};

}  // namespace

Verdict calendar(const Setting& setting) {
  const Shape shape = shape_of(setting);
  bool holds = true;
  std::string figures;
  for (const auto& round : rounds_of(setting)) {
    const RoundFigures found = Crossing{setting, shape, round}.run();
    holds = holds && found.good();
    figures += std::format(
        "{}{}: {} writes, {} failed, {} effects, {} delivered, {} waiting, {} wrong, {} partitions "
        "wrong, {} "
        "clocks wrong, reader {} × late, {:.1f} s at most",
        figures.empty() ? "" : "; ", round.name, found.writes, found.failed, found.effects,
        found.delivered, found.waiting, found.wrong, found.partitions, found.clocks, found.unread,
        duration<double>(found.slowest).count());
    for (const auto& example : found.examples) figures += "; " + example;
  }
  return {.holds = holds, .figures = std::move(figures)};
}

}  // namespace shopbell::proofs
