// Millions of deliveries wait for endpoints that do not answer. The sender must continue to send
// attempts, and deliver the backlog at a good rate once the endpoints answer again, although an
// open snapshot keeps every dead row. Deliveries of another account must not become slower.
#include <algorithm>
#include <format>
#include <set>
#include <stdexcept>
#include <thread>

#include "pg/script.h"
#include "runtime/wait.h"
#include "tests/proofs/actors/log_load.h"
#include "tests/proofs/proofs/webhooks.h"

namespace shopbell::proofs {

namespace {

using namespace std::chrono_literals;
using runtime::Steady;
using testing::Installation;

constexpr auto kBetweenEvents = 50ms;  // interval of the neighbour's events
constexpr std::size_t kContacts = 50;  // number of the neighbour's contacts

struct Shape {
  std::size_t accounts = 0;
  std::size_t endpoints = 0;     // number of endpoints per account
  std::int64_t deliveries = 0;   // number of deliveries in the backlog
  std::int64_t usual = 0;        // deliveries of the usual load
  std::chrono::seconds dead;     // how long the endpoints do not answer
  std::chrono::seconds drained;  // how long the backlog is delivered
  std::chrono::seconds quiet;    // how long the neighbour is measured without the backlog
  int windows = 0;               // parts of the dead time; each must have attempts
};

Shape shape_of(const Setting& setting) {
  if (setting.quick)
    return {.accounts = 2,
            .endpoints = 10,
            .deliveries = 50'000,
            .usual = 1'000,
            .dead = 2s,
            .drained = 3s,
            .quiet = 1s,
            .windows = 1};
  return {.accounts = 20,
          .endpoints = 20,
          .deliveries = 5'000'000,
          .usual = 40'000,
          .dead = 60s,
          .drained = 300s,
          .quiet = 20s,
          .windows = 6};
}

double p99(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() * 99 / 100];
}

double seconds_since(Steady::time_point from) {
  return std::chrono::duration<double>(Steady::now() - from).count();
}

// The endpoints with the backlog. Deliveries are inserted as the reader of the event log would:
// each is the first of its contact, so all are due.
class Backlog {
 public:
  Backlog(Installation& installation, const Fleet& fleet, WebhookSite& site, const Shape& shape)
      : database_{installation.admin_url()} {
    for (std::size_t account = 0; account < shape.accounts; ++account) {
      const std::string key = installation.create_unlimited_key(std::format("Backlog {}", account));
      define_event_types(fleet, key, {"ring"});
      for (std::size_t i = 0; i < shape.endpoints; ++i)
        site.create_endpoint(fleet, key, std::format("/sink-{}-{}", account, i));
    }
    endpoints_ = shape.accounts * shape.endpoints;
  }

  void add(std::int64_t deliveries) {
    const pg::Result endpoints =
        database_.query("SELECT account_id, webhook_id FROM webhook WHERE url LIKE '%/sink-%'");
    if (endpoints.size() != endpoints_) throw std::runtime_error{"endpoints are missing"};
    for (std::size_t i = 0; i < endpoints.size(); ++i) {
      progress(std::format("backlog: filling endpoint {}/{}", i + 1, endpoints.size()));
      database_.run(std::format(
          "WITH person AS MATERIALIZED (SELECT gen_random_uuid() AS contact_id, gen_random_uuid() "
          "AS uid FROM generate_series(1, {2})), chain AS (INSERT INTO webhook_chain (account_id, "
          "webhook_id, lane, contact_id, last_sequence, head) SELECT {0}, '{1}', 7, contact_id, 1, "
          "uid FROM person) INSERT INTO webhook_delivery (account_id, webhook_id, event_uid, "
          "received_at, kind, lane, contact_id, sequence, state, due_at) SELECT {0}, '{1}', uid, "
          "now(), 'custom.ring', 7, contact_id, 1, 'due', clock_timestamp() FROM person",
          endpoints[i].integer("account_id"), endpoints[i].uuid("webhook_id").to_string(),
          deliveries / static_cast<std::int64_t>(endpoints_)));
    }
    database_.run("ANALYZE webhook_delivery; ANALYZE webhook_chain");
  }

 private:
  pg::Script database_;
  std::size_t endpoints_ = 0;
};

// Another account, with one endpoint that answers.
class OtherAccount {
 public:
  OtherAccount(Installation& installation, const Fleet& fleet, WebhookSite& site)
      : fleet_{fleet}, site_{site}, key_{installation.create_unlimited_key("Neighbour")} {
    define_event_types(fleet_, key_, {"ring"});
    create_contacts(fleet_, key_, kContacts);
    site_.create_endpoint(fleet_, key_, "/near");
  }

  struct Figures {
    double p99_ms = 0;         // latency from request to arrival
    std::int64_t missing = 0;  // events that did not arrive within 15 s
  };
  Figures measure(Steady::duration length) {
    std::map<std::string, std::int64_t> began;
    const auto from = Steady::now();
    for (auto due = from; due < from + length; due += kBetweenEvents) {
      std::this_thread::sleep_until(due);
      const SentEvent sent =
          send_event(fleet_, key_, next_ % kContacts, std::format("near-{}", next_));
      began.emplace(sent.id, sent.began_ms);
      ++next_;
    }
    std::vector<double> took_ms;
    for (const auto until = Steady::now() + 15s; Steady::now() < until;) {
      took_ms.clear();
      std::set<std::string> seen;
      for (const auto& arrival : site_.arrivals()) {
        const auto event = began.find(arrival.id);
        if (event != began.end() && seen.insert(arrival.id).second)
          took_ms.push_back(static_cast<double>(arrival.at_ms - event->second));
      }
      if (took_ms.size() == began.size()) break;
      std::this_thread::sleep_for(200ms);
    }
    return {.p99_ms = p99(took_ms),
            .missing = static_cast<std::int64_t>(began.size() - took_ms.size())};
  }

 private:
  const Fleet& fleet_;
  WebhookSite& site_;
  const std::string key_;
  std::size_t next_ = 0;
};

struct BacklogFigures {
  double usual_per_second = 0;
  double drained_per_second = 0;
  std::int64_t attempts = 0;  // attempts while the endpoints did not answer
  int idle_windows = 0;       // parts of that time without an attempt
  double cpu_percent = 0;     // CPU usage while the endpoints did not answer
  OtherAccount::Figures quiet;
  OtherAccount::Figures dead;
  OtherAccount::Figures draining;
};

double attempts_of(const Fleet& fleet) {
  return fleet.metric(0, "shopbell_webhook_deliveries_total");
}

// Delivers a small load to the same endpoints.
double usual_rate(Backlog& backlog, WebhookSite& site, const Shape& shape) {
  const std::int64_t before = site.accepted_by_sinks();
  const auto from = Steady::now();
  backlog.add(shape.usual);
  while (site.accepted_by_sinks() - before < shape.usual) {
    if (seconds_since(from) > 120) throw std::runtime_error{"the usual load was not delivered"};
    std::this_thread::sleep_for(20ms);
  }
  return static_cast<double>(shape.usual) / seconds_since(from);
}

void measure_dead(const Fleet& fleet, OtherAccount& neighbour, const Shape& shape,
                  BacklogFigures& figures) {
  const double before = attempts_of(fleet);
  std::jthread windows{[&] {
    for (int i = 0; i < shape.windows; ++i) {
      const double at_start = attempts_of(fleet);
      std::this_thread::sleep_for(shape.dead / shape.windows);
      if (attempts_of(fleet) == at_start) ++figures.idle_windows;
    }
  }};
  figures.cpu_percent =
      cpu_percent_during([&] { figures.dead = neighbour.measure(shape.dead - 1s); });
  windows.join();
  figures.attempts = static_cast<std::int64_t>(attempts_of(fleet) - before);
}

void measure_draining(WebhookSite& site, OtherAccount& neighbour, const Shape& shape,
                      BacklogFigures& figures) {
  const std::int64_t before = site.accepted_by_sinks();
  const auto from = Steady::now();
  figures.draining = neighbour.measure(shape.drained);
  figures.drained_per_second =
      static_cast<double>(site.accepted_by_sinks() - before) / seconds_since(from);
}

std::string figures_of(const Shape& shape, const BacklogFigures& found, bool judged) {
  return std::format(
      "{} deliveries due at {} endpoints of {} accounts. No endpoint answers for {} s: {} "
      "attempts, {} of {} parts without an attempt, CPU {:.0f} %. Then all answer, beside an open "
      "snapshot: {:.0f} deliveries/s, usually {:.0f}. Another account, p99 from request to "
      "arrival: {:.0f} ms before, {:.0f} ms while no endpoint answers, {:.0f} ms while the backlog "
      "is delivered, {} late{}",
      shape.deliveries, shape.accounts * shape.endpoints, shape.accounts, shape.dead.count(),
      found.attempts, found.idle_windows, shape.windows, found.cpu_percent,
      found.drained_per_second, found.usual_per_second, found.quiet.p99_ms, found.dead.p99_ms,
      found.draining.p99_ms, found.quiet.missing + found.dead.missing + found.draining.missing,
      judged ? "" : " (p99 not judged)");
}

// While the backlog is delivered the processors are busy, as during two large imports.
bool is_undisturbed(const BacklogFigures& found) {
  const NeighbourFigures dead{.quiet_p99_ms = found.quiet.p99_ms, .loud_p99_ms = found.dead.p99_ms};
  return dead.good() &&
         found.draining.p99_ms <= std::max(found.quiet.p99_ms * 3, found.quiet.p99_ms + 25);
}

}  // namespace

Verdict backlog(const Setting& setting) {
  const Shape shape = shape_of(setting);
  Installation installation{setting.checkout, setting.binary};
  WebhookSite site{setting.checkout, 1s};
  Fleet fleet{installation, 1, site.environment()};
  Backlog waiting{installation, fleet, site, shape};
  OtherAccount neighbour{installation, fleet, site};
  BacklogFigures found;
  neighbour.measure(1s);  // opens the connections
  found.quiet = neighbour.measure(shape.quiet);
  found.usual_per_second = usual_rate(waiting, site, shape);

  site.set_sinks_answer(false);
  waiting.add(shape.deliveries);
  progress("backlog: no endpoint answers");
  measure_dead(fleet, neighbour, shape, found);

  pg::Script snapshot{installation.admin_url()};
  snapshot.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
  site.set_sinks_answer(true);
  progress("backlog: all endpoints answer");
  measure_draining(site, neighbour, shape, found);

  const bool judged = judges_times(setting);
  const bool holds = found.idle_windows == 0 && found.attempts > 0 &&
                     found.drained_per_second >= found.usual_per_second / 2 &&
                     found.quiet.missing + found.dead.missing + found.draining.missing == 0 &&
                     (!judged || is_undisturbed(found)) && fleet.alive();
  std::string figures = figures_of(shape, found, judged);
  if (!holds) figures += std::format("; logs in {}", installation.keep_logs().string());
  return {.holds = holds, .figures = std::move(figures)};
}

}  // namespace shopbell::proofs
