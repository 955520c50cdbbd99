// A session holds a snapshot open for half an hour, as a dump or an export does, while events are
// processed. PostgreSQL then keeps every old row version, and a row that is updated often gets
// slower with each update. Heartbeats, ticks and readers must not: no lease is lost, and an event
// takes effect as fast as without the snapshot.
#include <algorithm>
#include <format>
#include <stdexcept>
#include <thread>

#include "pg/script.h"
#include "tests/proofs/actors/contact_ledger.h"
#include "tests/proofs/actors/fleet.h"
#include "tests/proofs/actors/log_load.h"
#include "tests/proofs/actors/neighbours.h"
#include "tests/proofs/actors/proof.h"
#include "tests/proofs/actors/side_workflow.h"
#include "tests/proofs/actors/webhook_site.h"
#include "tests/proofs/proofs/webhooks.h"

namespace shopbell::proofs {

namespace {

using namespace std::chrono_literals;
using runtime::Steady;
using testing::Answer;
using testing::Installation;

constexpr std::size_t kProcesses = 2;
constexpr auto kBetweenProbes = 100ms;
constexpr std::int64_t kRssGrowthKb = 32 * 1024;  // allowed for caches that are filling

struct Shape {
  LogPlan plan;
  std::chrono::seconds without;  // length of the measurement before the snapshot
  std::chrono::seconds held;
  std::chrono::seconds measured;  // length of the measurement at the end of the snapshot
};

Shape shape_of(const Setting& setting) {
  if (setting.quick)
    return {.plan = {.contacts = 400, .hot = 10, .writers = 16, .lines = 5, .per_second = 300},
            .without = 3s,
            .held = 5s,
            .measured = 3s};
  return {.plan = {.contacts = 400, .hot = 10, .writers = 16, .lines = 5, .per_second = 1'000},
          .without = 180s,
          .held = 1800s,
          .measured = 180s};
}

// Sends single events, and waits for the delivery row of each: the effect of the reader.
class EffectProbe {
 public:
  EffectProbe(const Installation& installation, const Fleet& fleet, std::string key)
      : database_{installation.admin_url()}, fleet_{fleet}, key_{std::move(key)} {}

  // Latencies from the response to the effect, in milliseconds.
  std::vector<double> measure(Steady::duration length, const std::string& name) {
    std::vector<double> took_ms;
    const auto from = Steady::now();
    for (auto due = from; due < from + length;
         due = std::max(due + kBetweenProbes, Steady::now())) {
      std::this_thread::sleep_until(due);
      const SentEvent sent =
          send_event(fleet_, key_, sent_ % 50, std::format("{}-{}", name, sent_));
      ++sent_;
      const auto began = Steady::now();
      while (!has_effect(sent.id) && Steady::now() < began + 10s) std::this_thread::sleep_for(1ms);
      const auto took = Steady::now() - began;
      if (took >= 10s) ++missing;
      took_ms.push_back(std::chrono::duration<double, std::milli>(took).count());
    }
    return took_ms;
  }

  std::int64_t missing = 0;

 private:
  bool has_effect(const std::string& event) {
    return !database_
                .query(std::format(
                    "SELECT FROM webhook w JOIN webhook_delivery d ON d.account_id = w.account_id "
                    "AND d.webhook_id = w.webhook_id AND d.event_uid = '{}'",
                    event))
                .empty();
  }

  pg::Script database_;
  const Fleet& fleet_;
  const std::string key_;
  std::size_t sent_ = 0;
};

double p99_of(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() * 99 / 100];
}

double owner_changes(const Fleet& fleet) {
  double sum = 0;
  for (std::size_t i = 0; i < fleet.size(); ++i)
    sum += fleet.metric(i, "shopbell_log_owner_changes_total");
  return sum;
}

std::int64_t ticker_changes(pg::Script& database) {
  return database.query("SELECT generation FROM log_ticker")[0].integer("generation");
}

// Waits until both processes have their share of each reader, at most half a minute.
void await_shares(pg::Script& database) {
  const std::string shares = std::format("64 / {}", kProcesses);
  for (int i = 0; i < 300; ++i) {
    if (database
            .query("SELECT FROM lane_owner GROUP BY reader, owner HAVING owner IS NULL OR count(*) "
                   "<> " +
                   shares)
            .size() == 0)
      return;
    std::this_thread::sleep_for(100ms);
  }
  throw std::runtime_error{"the processes do not share the lanes"};
}

}  // namespace

Verdict long_snapshot(const Setting& setting) {
  const Shape shape = shape_of(setting);
  Installation installation{setting.checkout, setting.binary};
  const std::string key = installation.create_unlimited_key("Snapshot");
  Fleet fleet{installation, kProcesses};
  define_event_types(fleet, key, {"ring"});
  create_contacts(fleet, key, shape.plan.contacts);
  create_paused_endpoint(fleet, key);
  publish_short_wait(fleet.life(0).host, fleet.life(0).port, key, "custom.ring");
  pg::Script database{installation.admin_url()};
  await_shares(database);
  LogLoad load{fleet, key, installation.admin_url(), shape.plan, setting.seed};
  EffectProbe probe{installation, fleet, key};
  progress("long-snapshot: without a snapshot");
  probe.measure(1s, std::format("{}-warm", setting.seed));
  const double quiet = p99_of(probe.measure(shape.without, std::format("{}-quiet", setting.seed)));

  pg::Script dump{installation.admin_url()};
  dump.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM log_tick");
  const double owners = owner_changes(fleet);
  const std::int64_t tickers = ticker_changes(database);
  const auto until = Steady::now() + shape.held;
  progress("long-snapshot: with a snapshot");
  std::this_thread::sleep_for(shape.held / 3);
  std::vector<std::int64_t> before_kb(fleet.size());
  for (std::size_t i = 0; i < fleet.size(); ++i) before_kb[i] = fleet.memory_kb(i);
  std::this_thread::sleep_until(until - shape.measured);
  const double held = p99_of(probe.measure(shape.measured, std::format("{}-held", setting.seed)));
  std::int64_t growth_kb = 0;
  for (std::size_t i = 0; i < fleet.size(); ++i)
    growth_kb = std::max(growth_kb, fleet.memory_kb(i) - before_kb[i]);
  const double lost = owner_changes(fleet) - owners;
  const std::int64_t replaced = ticker_changes(database) - tickers;
  dump.run("COMMIT");
  load.stop();
  const Leftovers left = await_ends(database);

  const bool judged = judges_times(setting);
  // AddressSanitizer keeps freed memory for a while.
  const bool is_flat = is_sanitized(setting) || growth_kb < kRssGrowthKb;
  const bool holds = lost == 0 && replaced == 0 && probe.missing == 0 && left.none() && is_flat &&
                     (!judged || held <= 2 * quiet + 3) && load.others.empty() && fleet.alive();
  std::string figures = std::format(
      "{} processes, {} events/s with webhooks, {} events; a snapshot held for {} s: {} lanes and "
      "{} tickers changed their owner; p99 from response to effect {:.0f} ms without, {:.0f} ms at "
      "the end{}; {} effects missing; memory of a process grew by {} MB at most",
      kProcesses, shape.plan.per_second, load.acknowledged.load(), shape.held.count(), lost,
      replaced, quiet, held, judged ? "" : " (not judged)", probe.missing, growth_kb / 1024);
  figures += std::format("; {} runs of a workflow ended, {} stuck, {} parked", left.ended,
                         left.stuck, left.parked);
  for (const auto& [what, times] : load.others) figures += std::format("; {} × {}", times, what);
  if (!holds) figures += std::format("; logs in {}", installation.keep_logs().string());
  return {.holds = holds, .figures = std::move(figures)};
}

}  // namespace shopbell::proofs
