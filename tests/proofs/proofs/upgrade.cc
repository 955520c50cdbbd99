// Replaces the processes of the previous release one by one with this release's, and back, while
// clients write contacts through a balancer that uses the other process meanwhile. Before that the
// database is migrated with a million contacts of another account, while a prober measures how long
// locks are held.
#include <algorithm>
#include <array>
#include <exception>
#include <format>
#include <thread>

#include "pg/script.h"
#include "runtime/wait.h"
#include "tests/proofs/actors/contact_ledger.h"
#include "tests/proofs/actors/process_pair.h"
#include "tests/proofs/actors/proof.h"
#include "tests/proofs/actors/side_workflow.h"
#include "tests/proofs/actors/write_load.h"

namespace shopbell::proofs {

namespace {

using namespace std::chrono_literals;
using runtime::Steady;
using testing::Installation;

constexpr std::size_t kWriters = 12;
constexpr auto kLockMost = 1s;
constexpr std::int64_t kBatch = 50'000;

struct Size {
  std::int64_t contacts = 1'000'000;
  int rounds = 10;
  std::chrono::milliseconds dwell = 2000ms;  // time in which both processes have the same release
};

std::int64_t account_of(pg::Script& database, const std::string& store_name) {
  const std::array<std::string, 1> name{store_name};
  return database
      .query("SELECT account_id FROM account WHERE name = $1 AND live_account_id IS NULL", name)[0]
      .integer("account_id");
}

// Inserts contacts as the service stores them, with their facets and events: many more than clients
// could create.
void fill(pg::Script& database, std::int64_t account, std::int64_t contacts) {
  constexpr std::string_view kId = "('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid";
  for (std::int64_t from = 1; from <= contacts; from += kBatch) {
    progress(std::format("upgrade: {} of {} contacts", from - 1, contacts));
    const std::string numbers = std::format("generate_series({}::bigint, {}::bigint) AS n", from,
                                            std::min(from + kBatch - 1, contacts));
    database.run(
        std::format("INSERT INTO contact (account_id, contact_id, lane, email, email_key, "
                    "external_id, first_name, event_seq, created_at, updated_at) "
                    "SELECT {}, {}, n % 1024, 'x' || n || '@example.com', 'x' || n || "
                    "'@example.com', 'x' || n, 'Eva ' || n, 1, now(), now() FROM {}",
                    account, kId, numbers));
    database.run(
        std::format("INSERT INTO contact_facet (account_id, facet, value, contact_id) "
                    "SELECT {}, -1, 'none', {} FROM {}",
                    account, kId, numbers));
    database.run(
        std::format("INSERT INTO event (account_id, uid, lane, contact_id, contact_seq, kind, "
                    "format, occurred_at, trigger, hops, source, payload) "
                    "SELECT {}, gen_random_uuid(), n % 1024, {}, 1, 'contact.created', 1, now(), "
                    "'none', 0, 'proof', '{{}}' FROM {}",
                    account, kId, numbers));
  }
  database.run("VACUUM ANALYZE contact, contact_facet, event");
}

// Reads and writes the big tables every 50 ms, on its own thread.
class Prober {
 public:
  Prober(const std::string& url, std::int64_t account)
      : thread_{[this, url, account](const std::stop_token& stop) { run(stop, url, account); }} {}

  // Stops the prober and returns the longest duration of a read or a write.
  Steady::duration finish() {
    thread_.request_stop();
    thread_.join();
    if (failure_) std::rethrow_exception(failure_);
    return longest_;
  }
  int probes() const { return probes_; }

 private:
  void run(const std::stop_token& stop, const std::string& url, std::int64_t account) {
    try {
      pg::Script database{url};
      database.run("SET synchronous_commit = off");  // the prober measures locks, not the disk
      while (!stop.stop_requested()) {
        probe(database, std::format("SELECT 1 FROM contact WHERE account_id = {} AND "
                                    "external_id = 'x1'",
                                    account));
        probe(database, std::format("BEGIN; UPDATE contact SET version = version WHERE "
                                    "account_id = {} AND external_id = 'x2'; LOCK TABLE "
                                    "contact_facet, event IN ROW EXCLUSIVE MODE; COMMIT",
                                    account));
        std::this_thread::sleep_for(50ms);
      }
    } catch (const std::exception&) {
      failure_ = std::current_exception();
    }
  }

  void probe(pg::Script& database, const std::string& sql) {
    const auto began = Steady::now();
    database.run(sql);
    longest_ = std::max(longest_, Steady::now() - began);
    ++probes_;
  }

  // Other threads may read this once the prober's thread has ended.
  Steady::duration longest_{};
  int probes_ = 0;
  std::exception_ptr failure_;
  std::jthread thread_;
};

struct Migrated {
  int migrations = 0;
  int probes = 0;
  Steady::duration took{};
  Steady::duration longest_lock{};
};

Migrated migrate(const Setting& setting, const Installation& installation, std::int64_t clients) {
  Migrated migrated;
  Prober prober{installation.admin_url(), clients};
  std::this_thread::sleep_for(300ms);
  const auto began = Steady::now();
  const std::string said =
      testing::run({setting.binary, "--config", installation.config_file(), "migrate"});
  migrated.took = Steady::now() - began;
  std::this_thread::sleep_for(300ms);
  migrated.longest_lock = prober.finish();
  migrated.probes = prober.probes();
  for (std::size_t at = 0; (at = said.find("applied ", at)) != std::string::npos; ++at)
    ++migrated.migrations;
  return migrated;
}

struct Replaced {
  int processes = 0;
  int bad_exits = 0;
};

void replace_both(Installation& installation, ProcessPair& pair,
                  const std::filesystem::path& binary, const Size& size, Replaced& replaced) {
  installation.use_binary(binary);
  for (const std::size_t which : {0UZ, 1UZ}) {
    if (pair.replace(which) != 0) ++replaced.bad_exits;
    ++replaced.processes;
    std::this_thread::sleep_for(size.dwell / 4);  // for this time, one process of each release runs
  }
  std::this_thread::sleep_for(size.dwell);
}

std::string version_of(const std::filesystem::path& binary) {
  std::string text = testing::run({binary, "--version"});
  text.erase(text.find_last_not_of('\n') + 1);
  return text;
}

double seconds(Steady::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

// Returns the number of failures that a client behind the balancer would see.
int failed_requests(const WriterTally& tally, const ProcessPair::Cuts& cuts) {
  return cuts.by_stop + cuts.refused_by_stopped + cuts.of_living + cuts.refused_by_living +
         tally.unavailable + tally.others + tally.stuck;
}

}  // namespace

Verdict upgrade(const Setting& setting) {
  const Size size = setting.quick ? Size{.contacts = 20'000, .rounds = 1, .dwell = 400ms} : Size{};
  const auto previous = setting.previous.empty() ? setting.binary : setting.previous;
  Installation installation{setting.checkout, previous};
  const std::string key = installation.create_unlimited_key("Upgrade");
  installation.create_unlimited_key("ClientGroup");
  pg::Script database{installation.admin_url()};
  const std::int64_t clients = account_of(database, "ClientGroup");
  fill(database, clients, size.contacts);
  ProcessPair pair{installation};
  WriteLoad load{pair, key, setting.seed, kWriters};
  std::this_thread::sleep_for(size.dwell);
  const Migrated migrated = migrate(setting, installation, clients);
  Replaced replaced;
  // The previous release runs no workflows. The lanes read what happened meanwhile once this
  // release is back.
  replace_both(installation, pair, setting.binary, size, replaced);
  const std::string greets_since =
      publish_greeting(installation.admin_url(), pair.life(0).host, pair.life(0).port, key);
  for (int round = 1; round <= size.rounds; ++round) {
    progress(std::format("upgrade: round {}/{}, {} writes acknowledged", round, size.rounds,
                         load.tally.acknowledged.load()));
    replace_both(installation, pair, setting.binary, size, replaced);
    replace_both(installation, pair, previous, size, replaced);
  }
  replace_both(installation, pair, setting.binary, size, replaced);
  load.stop();
  progress("upgrade: comparing");
  Comparison found;
  compare_rows(load.ledgers(), database, found, account_of(database, "Upgrade"));
  compare_answers(load.ledgers(), pair, key, found);
  const Greetings greetings =
      compare_greetings(database, greets_since, account_of(database, "Upgrade"));
  const WriterTally& tally = load.tally;
  const auto cuts = pair.cuts();
  const int failed = failed_requests(tally, cuts);
  // A run proves nothing if some process answered no request.
  const bool used = pair.idle_lives() == 0 && tally.acknowledged > 0 && migrated.probes > 0;
  const bool holds = found.exact() && greetings.exact() && used && failed == 0 &&
                     replaced.bad_exits == 0 && migrated.longest_lock < kLockMost && pair.alive();
  std::string figures = std::format(
      "{}{} → {} → back, {} × both processes, {} writers: {} processes replaced by SIGTERM and "
      "start, {} acknowledgements, {} failed requests, {} bad exits; {} contacts, {} events: {} "
      "missing, {} twice, {} out of order, {} unexpected, {} contacts different; {} migrations in "
      "{:.2f} s beside {} contacts, longest wait of {} reads and writes {:.3f} s",
      version_of(previous), previous == setting.binary ? " (the same binary)" : "",
      version_of(setting.binary), size.rounds, kWriters, replaced.processes,
      tally.acknowledged.load(), failed, replaced.bad_exits, found.contacts, found.events,
      found.missing, found.twice, found.disorder, found.unasked, found.different,
      migrated.migrations, seconds(migrated.took), size.contacts, migrated.probes,
      seconds(migrated.longest_lock));
  figures += "; " + greetings.text();
  for (const auto& example : found.examples) figures += "; " + example;
  for (const auto& example : tally.examples) figures += "; " + example;
  if (!holds)
    figures += std::format(
        "; {} × 503, {} cut and {} refused by stopped processes, {} idle processes; logs in {}",
        tally.unavailable.load(), cuts.by_stop, cuts.refused_by_stopped, pair.idle_lives(),
        installation.keep_logs().string());
  return {.holds = holds, .figures = std::move(figures)};
}

}  // namespace shopbell::proofs
