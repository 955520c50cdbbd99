#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <print>
#include <random>
#include <sstream>

#include <unistd.h>

#include "base/time.h"
#include "testing/process.h"
#include "tests/proofs/actors/proof.h"

namespace shopbell::proofs {

namespace {

const std::vector<Proof> kProofs{
    {"database-restart",
     "A PostgreSQL outage causes 503 responses while it lasts, and no other damage.",
     "Crashes PostgreSQL 50 times under load: only 503s, recovery within 5 s, no leak. Then "
     "SIGTERM: no accepted request fails.",
     database_restart},
    {"idempotency",
     "A request with an Idempotency-Key takes effect once, however often it is sent.",
     "32 clients send each of 3,000 writes concurrently over two processes that are killed 20 "
     "times: every write has one effect and one response.",
     idempotency,
     {"src/resources/contacts", "src/resources/purchases"}},
    {"kill-writes",
     "An acknowledged write is never lost and never applied twice.",
     "Kills a process 20 times, crashes PostgreSQL 20 times and stops a process 20 times under "
     "mixed contact writes, and compares every contact and event with the clients' ledger.",
     kill_writes,
     {"src/resources/contacts", "src/events"}},
    {"event-order",
     "Every event of a contact is stored once and in order.",
     "32 clients write 20 contacts 100,000 times over two processes: every event once and "
     "numbered without a gap. Then reads 20 histories over 14 months concurrently, and measures "
     "other contacts beside a hot one.",
     event_order,
     {"src/resources/contacts", "src/events"}},
    {"money",
     "A person's purchase totals are exact to the last digit.",
     "Creates, refunds, replaces, cancels and deletes purchases 100,000 times for 100 people in "
     "three currencies with six fraction digits, and recomputes every total from the acknowledged "
     "writes.",
     money,
     {"src/resources/purchases"}},
    {"retries",
     "A purchase or an event that is sent again is not stored again.",
     "32 clients send purchases and events over two processes that are killed every three "
     "seconds, and repeat a third of them later, with and without an Idempotency-Key: each is "
     "stored once.",
     retries,
     {"src/resources/purchases", "src/resources/custom_events"}},
    {"since",
     "A copy of the store kept by incremental exports misses no change.",
     "47 clients change, delete, merge and replace contacts, products and purchases 100,000 times "
     "over two processes, while 50 or more exports return the changes since the last one. "
     "Compares the resulting copy with a full export.",
     since,
     {"src/resources/exports", "src/jobs", "src/events"}},
    {"round-trip",
     "An export can be imported, and exports the same again.",
     "Contacts, products, purchases and coupons with all values that are difficult in files go "
     "from one account into two others, by CSV and by NDJSON, and are exported from there.",
     round_trip,
     {"src/resources/exports", "src/resources/imports", "src/csv", "src/compress", "src/jobs"}},
    {"import-kill",
     "Process, database and storage failures do not change an import's result.",
     "Kills both processes 30 times, crashes PostgreSQL 5 times and stops the S3 server 5 times "
     "during imports of contacts and purchases. Compares every row, event, total and report with "
     "those of an undisturbed account. Kills an export three times.",
     import_kill,
     {"src/resources/imports", "src/jobs", "src/storage", "src/csv"}},
    {"intake",
     "An event that Kafka has acknowledged is written once and in order.",
     "Sends events with `Prefer: respond-async` over two processes, stops PostgreSQL for a minute "
     "and kills processes and brokers in turn: every acknowledged event is in the table once, and "
     "those of one person are in the order of Kafka.",
     intake,
     {"src/resources/custom_events", "src/kafka", "src/event_log"}},
    {"stream",
     "Every event is published to Kafka, and those of a contact in order.",
     "Two processes, killed 20 times, publish at least 300,000 events to Kafka while each of "
     "three brokers goes down twice. A consumer that skips duplicates gets every event of the "
     "log, those of a contact in order.",
     stream,
     {"src/stream", "src/kafka", "src/event_log", "src/events"}},
    {"full-disk",
     "If PostgreSQL's disk is full, new writes fail with 503, and acknowledged ones are kept.",
     "Fills PostgreSQL's data disk and its WAL disk completely, 5 times each under load: only "
     "503s, reads work while PostgreSQL runs, recovery within 5 s once there is space, and every "
     "contact and event matches the clients' ledger.",
     full_disk,
     {"src/resources/contacts"}},
    {"noisy-neighbour",
     "An account that exceeds its rate limit gets 429, and other accounts are not slowed down.",
     "One account sends 100 times its quota over two processes while others work at a fixed rate, "
     "in five quiet and five loud rounds in turn: 429 for everything beyond the quota, and the "
     "others' 99th percentile does not change.",
     noisy_neighbour,
     {"src/rates"}},
    {"siege",
     "Hostile clients without a key exhaust neither memory nor time, and other clients do not "
     "notice them.",
     "10,000 connections without a key read and write slowly and send large bodies, from one "
     "address and from 1,000, in five quiet and five loud rounds in turn: at most 512 MB of "
     "memory, "
     "and a well-behaved account's 99th percentile does not change.",
     siege,
     {"src/rates"}},
    {"upgrade",
     "An upgrade and a rollback lose no request and no write.",
     "Migrates a database of a million contacts while a probe measures locks. Then replaces the "
     "previous release's processes with this one's and back, 10 times, under contact writes "
     "behind a balancer. Compares every contact and event with the clients' ledger.",
     upgrade,
     {"src/resources/contacts"}},
    {"restore",
     "A restored backup holds every write acknowledged before the backup or the recovery target "
     "time.",
     "Dumps the database and archives its WAL with the scripts of deploy/backup under writes. "
     "Restores the dump and recovers to a point in time, each on its own server, compares both "
     "with the clients' ledger, and runs the service there with all writes sent once more.",
     restore,
     {"src/resources"}},
    {"fields",
     "A change acknowledged by one process is visible on every other at once.",
     "Creates, uses, changes and deletes contact fields 1,000 times, each step on one process and "
     "checked on another, under concurrent use.",
     field_rounds,
     {"src/resources/contact_fields"}},
    {"edge",
     "Every operation answers any input according to the rules, and the service keeps running.",
     "Tries every rule of the HTTP edge on every operation of the route table: keys, paths, "
     "queries, bodies, broken HTTP, slow and half-closed connections.",
     edge,
     {"src/resources", "src/json", "src/rates"}},
    {"isolation",
     "No account can read or change another account's data.",
     "Tries every operation with another account's ids, keys, cursors and idempotency keys, live "
     "and test, and searches every response for other accounts' data.",
     isolation,
     {"src/resources", "src/keyring", "src/rates"}},
    {"consent",
     "People who have unsubscribed stay unsubscribed until they themselves consent again.",
     "Syncs 10,000 people as subscribed, twice, while 1,000 of them unsubscribe before, during "
     "and after it: only a later consent with proof counts.",
     consent,
     {"src/resources/contacts"}},
    {"merge",
     "Every acknowledged write to either of two merged contacts applies to the surviving one.",
     "Merges 2,000 groups of contacts, in chains and from both sides at once, under writes to all "
     "of them: points, tags, consents, ids and events add up.",
     merge,
     {"src/resources/contacts"}},
    {"erasure",
     "An erased person's data is found nowhere, and their unsubscribing stays in force.",
     "Erases 200 people with unique strings in their data under concurrent writes, then searches "
     "every row of every table and every log for each string.",
     erasure,
     {"src/resources/contacts", "src/events"}},
    {"forget-account",
     "A deleted account is found nowhere, and other accounts do not notice its deletion.",
     "Fills two stores, live and test, through every operation, and deletes one of them while both "
     "are in use and the processes are killed. Then searches every table, log and stored file for "
     "its ids and strings, and compares every row of the other store.",
     forget_account,
     {"src/resources", "src/storage", "src/jobs"}},
    {"coupons",
     "No code is given twice, none is lost, and the counters are exact.",
     "64 concurrent claimers claim 10,000 codes, are killed, disconnected and left without a "
     "database, and retry: each claim has one code, each code one claim, at every check.",
     coupons,
     {"src/resources/coupons"}},
    {"ssrf",
     "No URL of a store reaches the operator's internal network.",
     "Tries more than 800 spellings and names of internal addresses, and names whose addresses "
     "change between DNS queries, in a network where every address listens: none is connected to.",
     ssrf,
     {"src/net", "src/outgoing"}},
    {"log",
     "Every event is processed once and in order, whichever process fails.",
     "32 writers send a million events to 5 processes while processes are killed, stopped and "
     "resumed, PostgreSQL crashes and the ticker is killed, three times each. Compares the "
     "effects of the log's reader with the writers' ledger, and runs two simpler readers beside "
     "it.",
     log,
     {"src/event_log", "src/events"}},
    {"long-snapshot",
     "A dump or an export that runs for long does not slow down event processing.",
     "Holds a snapshot for 30 minutes under 1,000 events a second with webhooks: no process loses "
     "a lease, an event takes effect at most twice as late as before, and memory stays flat.",
     long_snapshot,
     {"src/event_log", "src/events", "src/resources/webhooks"}},
    {"calendar",
     "No write and no event is lost at the end of a month, or when the clock is set back.",
     "The clocks of PostgreSQL and the service cross the end of a month, of February in a common "
     "and in a leap year, and of a year, and are set back by an hour, under load: no write fails, "
     "the log's reader processes every event once, and partitions exist for the months ahead.",
     calendar,
     {"src/events", "src/event_log", "src/resources/contacts", "src/resources/custom_events",
      "src/resources/webhooks", "tests/clock"}},
    {"webhooks",
     "Every endpoint gets every event, signed and in order, and a slow endpoint delays only "
     "itself.",
     "Endpoints that answer, delay, fail, reject, redirect, disconnect or never answer, while the "
     "sending processes are killed: each event arrives signed, with one id and in its contact's "
     "order. Then measures 50 endpoints with and without a dead one beside them.",
     webhooks,
     {"src/resources/webhooks", "src/outgoing", "src/net", "src/event_log"}},
    {"many-stores",
     "Thousands of stores share one process, and idle ones cost almost nothing.",
     "20,000 accounts, half of which write 1,000 times a second for ten minutes: every count of "
     "`usage` is exact, no chore of the upkeep is late. Then measures the CPU time of the idle "
     "process.",
     many_stores,
     {"src/resources/store", "src/resources/contacts", "src/resources/products",
      "src/resources/purchases", "src/resources/keys", "src/events"}},
    {"simulate",
     "Workflows keep their rules, whichever process fails and in whatever order things happen.",
     "Runs random workflows on a virtual clock and tables in memory, with the service's own "
     "engine, "
     "batches and timers, under crashes, changes of owners, merges, erasures, edits and clock "
     "steps, and compares every commit with a slow model. Then removes nine mechanisms, one at a "
     "time: each removal must be noticed.",
     simulate,
     {"src/simulator", "src/engine", "src/automation", "src/event_log"}},
    {"backlog",
     "A backlog of webhook deliveries stops nothing, and is delivered.",
     "5 million deliveries are due, and no endpoint answers: attempts continue. Then all endpoints "
     "answer again, beside an open snapshot: the backlog is delivered at half the usual rate or "
     "more. Measures the deliveries of another account meanwhile.",
     backlog,
     {"src/resources/webhooks", "src/outgoing", "src/net", "src/event_log"}},
    {"timers",
     "Ten million runs wait at no cost, and each timer fires once, in time and never early.",
     "Loads 10 million waiting runs, measures memory and the CPU time of the idle service, then "
     "lets timers become due one by one, 100,000 in the same microsecond, a million within a "
     "minute beside events, and 100,000 in the same microsecond beside a snapshot that has been "
     "open for eight minutes.",
     timers,
     {"src/automation", "src/engine", "src/event_log", "src/events"}},
    {"abandoned-cart",
     "A cart that is left is reminded of once, and one that is paid in time never.",
     "Shoppers fill, change and leave 100,000 carts, and buy six of ten, many at the moment of a "
     "timer, while a process is killed every five seconds, PostgreSQL crashes three times and is "
     "down for a minute. Compares every cart with its messages, their contents and its coupon.",
     abandoned_cart,
     {"src/automation", "src/engine", "src/event_log", "src/mail", "src/resources/messages",
      "src/resources/coupons", "src/resources/purchases", "src/resources/custom_events"}},
    {"live-edit",
     "A workflow can be changed while people are in it: nobody is lost, nobody starts again.",
     "10,000 people wait at three nodes while versions that rename, remove and add nodes are "
     "published, with and without a map of the nodes, under new events, and one of two processes "
     "is killed. Recounts every number of the workflow from its runs at each stage.",
     live_edit,
     {"src/automation", "src/engine", "src/event_log", "src/jobs", "src/resources/runs",
      "src/resources/workflows"}},
};

// A change of these concerns every proof.
constexpr std::array<std::string_view, 8> kCommonCode{
    "migrations",     "src/app/service", "src/base",    "src/http",
    "src/operations", "src/pg",          "src/runtime", "tests/proofs/actors"};

// Prints the paths of the code that the proof tests, one per line.
void print_code(const Proof& proof) {
  for (const auto path : kCommonCode) std::println("{}", path);
  for (const auto& path : proof.code) std::println("{}", path);
  std::string file = proof.name;
  std::ranges::replace(file, '-', '_');
  std::println("tests/proofs/proofs/{}*", file);
}

// Replaces this proof's row in docs/promises.md, or adds it.
void record(const Proof& proof, const Verdict& verdict, const std::filesystem::path& checkout) {
  const auto file = checkout / "docs/promises.md";
  const char* commit = std::getenv("SHOPBELL_COMMIT");
  const std::string at =
      commit == nullptr || *commit == '\0' ? "" : std::format(" at `{}`", commit);
  const std::string row =
      std::format("| {} | `tools/prove {}` | {} {}{} | {} |", proof.promise, proof.name,
                  verdict.holds ? "holds" : "**broken**",
                  to_rfc3339(system_clock().now()).substr(0, 10), at, verdict.figures);
  std::istringstream before{testing::read_file(file)};
  std::string after;
  bool replaced = false;
  for (std::string line; std::getline(before, line);) {
    const bool own = line.contains(std::format("`tools/prove {}`", proof.name));
    after += (own ? row : line) + "\n";
    replaced = replaced || own;
  }
  if (!replaced) after += row + "\n";
  std::ofstream{file} << after;
}

int prove(const Proof& proof, const Setting& setting) {
  Verdict verdict;
  try {
    verdict = proof.run(setting);
  } catch (const std::exception& error) {
    verdict = {.holds = false, .figures = std::format("could not be run: {}", error.what())};
  }
  const bool is_whole =
      !setting.quick && !setting.size && setting.seeds == 0 && setting.without.empty();
  if (is_whole) record(proof, verdict, setting.checkout);
  progress("");
  std::println("{}: {} ({}{})", proof.name, verdict.holds ? "holds" : "broken", verdict.figures,
               verdict.holds ? "" : std::format(", seed {}", setting.seed));
  return verdict.holds ? 0 : 1;
}

int usage() {
  std::println(stderr,
               "prove --list | prove --code NAME | prove NAME [--quick] [--size N] [--seed N] "
               "[--previous FILE] --binary FILE");
  return 2;
}

}  // namespace

void progress(const std::string& text) {
  if (::isatty(STDERR_FILENO) == 0) return;
  std::print(stderr, "\r\x1b[K{}", text);
}

int run(const std::vector<std::string>& words) {
  Setting setting{.seed = std::random_device{}(), .checkout = SHOPBELL_SOURCE_DIR};
  const Proof* chosen = nullptr;
  bool asks_code = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool has_value = i + 1 < words.size();
    if (words[i] == "--list") {
      for (const auto& proof : kProofs) std::println("{:<20} {}", proof.name, proof.how);
      return 0;
    } else if (words[i] == "--code") {
      asks_code = true;
    } else if (words[i] == "--quick") {
      setting.quick = true;
    } else if (words[i] == "--seed" && has_value) {
      const auto& text = words[++i];
      std::from_chars(text.data(), text.data() + text.size(), setting.seed);
    } else if (words[i] == "--size" && has_value) {
      setting.size = std::stoll(words[++i]);
    } else if (words[i] == "--seeds" && has_value) {
      setting.seeds = std::stoi(words[++i]);
    } else if (words[i] == "--days" && has_value) {
      setting.days = std::stoi(words[++i]);
    } else if (words[i] == "--without" && has_value) {
      setting.without = words[++i];
    } else if (words[i] == "--binary" && has_value) {
      setting.binary = words[++i];
    } else if (words[i] == "--previous" && has_value) {
      setting.previous = words[++i];
    } else {
      for (const auto& proof : kProofs) {
        if (proof.name == words[i]) chosen = &proof;
      }
      if (chosen == nullptr) return usage();
    }
  }
  if (chosen == nullptr) return usage();
  if (!asks_code) return prove(*chosen, setting);
  print_code(*chosen);
  return 0;
}

}  // namespace shopbell::proofs

int main(int argc, char** argv) { return shopbell::proofs::run({argv + 1, argv + argc}); }
