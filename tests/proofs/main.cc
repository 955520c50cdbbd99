#include <charconv>
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
     "the loss of PostgreSQL costs answers for as long as it lasts, and nothing else",
     "Crashes PostgreSQL 50 times under load: only 503s, recovery under 5 s, no leak; then "
     "SIGTERM: no accepted request "
     "fails.",
     database_restart},
    {"idempotency", "a request with an Idempotency-Key happens once, however often it is sent",
     "32 clients race each of 3,000 writes over two processes that are killed 20 times: every "
     "write "
     "has one effect and one answer.",
     idempotency},
    {"kill-writes", "an acknowledged write is never lost and never happens twice",
     "Kills a process 20 times, crashes PostgreSQL 20 times and stops a process 20 times under "
     "mixed contact writes, and compares every contact and event with the clients' ledger.",
     kill_writes},
    {"event-order", "every event of a contact is there, once and in order",
     "32 clients write 20 contacts 100,000 times over two processes: every event once and "
     "numbered without a gap; then 20 histories at once over 14 months, and the neighbours of a "
     "hot contact.",
     event_order},
    {"money", "what a person's purchases come to is exact to the last digit",
     "Buys, refunds, replaces, cancels and deletes 100,000 times for 100 people in three "
     "currencies "
     "with six fraction digits, and recomputes every total from what was acknowledged.",
     money},
    {"retries", "a purchase or an event that is sent again is not another one",
     "32 clients send purchases and events over two processes that are killed every three seconds, "
     "a third of them again later, with and without an Idempotency-Key: each is there once.",
     retries},
    {"since", "a copy of the store kept by exports of what changed misses nothing",
     "47 people change, delete, merge and replace contacts, products and purchases 100,000 times "
     "over two processes, while 50 exports and more tell what changed since the last; the copy "
     "made "
     "of them is compared with a whole export.",
     since},
    {"round-trip", "what was exported can be imported, and is the same again",
     "Contacts, products, purchases and coupons with everything in them that files stumble over go "
     "from one account into two others, by CSV and by NDJSON, and are exported from there.",
     round_trip},
    {"import-kill", "an import ends as if nothing had happened, whatever does",
     "Kills both processes 30 times, crashes PostgreSQL 5 times and stops the S3 server 5 times "
     "during imports of contacts and purchases, and compares every row, event, total and report "
     "with those of an undisturbed account; an export is killed three times.",
     import_kill},
    {"intake", "an event that Kafka has acknowledged is written once, and in order",
     "Sends events with `Prefer: respond-async` over two processes, stops PostgreSQL for a minute "
     "and kills processes and brokers in turn: every acknowledged event is in the table once, and "
     "those of one person are in the order in which they went through Kafka.",
     intake},
    {"stream", "Kafka is told every event, those of a contact in order",
     "Tells Kafka of 300,000 events and more by two processes that are killed 20 times, while each "
     "of three brokers goes down twice: whoever reads the topic and passes over what came before "
     "has every event of the log, those of a contact in order.",
     stream},
    {"full-disk",
     "a full disk of PostgreSQL costs what cannot be written, and nothing acknowledged",
     "Fills the disk of PostgreSQL's data and that of its WAL to the last byte, 5 times each under "
     "load: only 503s, reads go on while PostgreSQL does, recovery under 5 s once there is room, "
     "and every contact and event is as the clients' ledger says.",
     full_disk},
    {"noisy-neighbour", "what one account asks too much costs it refusals, and the others nothing",
     "One account sends 100 times its quota over two processes while others work at a fixed pace, "
     "in five quiet and five loud rounds by turns: 429 for all beyond the quota, and the others' "
     "99th percentile stays.",
     noisy_neighbour},
    {"upgrade", "an upgrade, and the way back, cost no request and no write",
     "Replaces the processes of the release before by this one's and back, 10 times, under contact "
     "writes behind a balancer, after migrating a database of a million contacts under a probe "
     "for locks, and compares every contact and event with the clients' ledger.",
     upgrade},
    {"restore",
     "what was acknowledged before a backup, or before the moment gone back to, is there",
     "Dumps the database and keeps its WAL by the scripts of deploy/backup under writes; loads the "
     "dump and recovers to a moment in the middle, each on a server of its own, compares with the "
     "clients' ledger, and lets the service go on there with all writes sent once more.",
     restore},
    {"fields", "what one process has acknowledged holds on every other at once",
     "Makes, uses, changes and deletes contact fields 1,000 times, each step on one process and "
     "checked on another, while others use them.",
     field_rounds},
    {"edge", "whatever a client sends, every operation answers by the rules and the service lives",
     "Tries every rule of the edge on every operation of the route table: keys, paths, queries, "
     "bodies, broken HTTP, slow and half-closed clients.",
     edge},
    {"isolation", "no account sees or touches what is another's",
     "Tries every operation with another account's ids, keys, cursors and idempotency keys, live "
     "and test, and searches every answer for what is not the caller's.",
     isolation},
    {"consent", "who has unsubscribed stays so until they themselves say otherwise",
     "Syncs 10,000 people as subscribed, twice, while 1,000 of them unsubscribe before, during and "
     "after it: only a later consent with proof counts.",
     consent},
    {"merge", "what was acknowledged for one of two contacts is true of the one they become",
     "Merges 2,000 groups of contacts, in chains and from both sides at once, while others write "
     "to "
     "all of them: points, tags, consents, ids and events add up.",
     merge},
    {"erasure", "who is erased is found nowhere, and whoever had unsubscribed stays so",
     "Erases 200 people made of unmistakable strings while others write to them, then searches "
     "every row of every table and every log for each string.",
     erasure},
    {"coupons", "no code is given twice, none is lost, and the counters are exact",
     "64 claimers race for 10,000 codes, are killed, cut off and left without a database, and ask "
     "again: each claim has one code, each code one claim, at every look.",
     coupons},
    {"ssrf", "no URL of a store leads into the operator's own network",
     "Tries 800 spellings and names of inner addresses and more, and names whose addresses change "
     "from "
     "question to question, in a network where every address listens: none is connected to.",
     ssrf},
    {"log", "whatever happened is acted on once and in its order, whoever dies meanwhile",
     "32 writers tell 5 processes of a million events while processes are killed, stopped and "
     "resumed, PostgreSQL crashes and the maker of ticks dies, three times each; what the reader "
     "of the log did is compared with the writers' ledger, and two simpler readers beside it.",
     log},
    {"webhooks", "every endpoint is told of every event, signed and in order, and pays for itself",
     "Endpoints that answer, dawdle, fail, refuse, redirect, hang up or never answer, while the "
     "processes that send are killed: each event arrives signed, under one id and in its "
     "contact's order; then 50 endpoints with and without a dead one beside them.",
     webhooks},
};

// Replaces this proof's row in docs/promises.md, or adds it.
void record(const Proof& proof, const Verdict& verdict, const std::filesystem::path& checkout) {
  const auto file = checkout / "docs/promises.md";
  const std::string row =
      std::format("| {} | `tools/prove {}` | {} {} | {} |", proof.promise, proof.name,
                  verdict.holds ? "holds" : "**broken**",
                  to_rfc3339(system_clock().now()).substr(0, 10), verdict.figures);
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
  if (!setting.quick) record(proof, verdict, setting.checkout);
  progress("");
  std::println("{}: {} ({}{})", proof.name, verdict.holds ? "holds" : "broken", verdict.figures,
               verdict.holds ? "" : std::format(", seed {}", setting.seed));
  return verdict.holds ? 0 : 1;
}

int usage() {
  std::println(stderr,
               "prove --list | prove NAME [--quick] [--seed N] [--previous FILE] --binary FILE");
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
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool has_value = i + 1 < words.size();
    if (words[i] == "--list") {
      for (const auto& proof : kProofs) std::println("{:<20} {}", proof.name, proof.how);
      return 0;
    } else if (words[i] == "--quick") {
      setting.quick = true;
    } else if (words[i] == "--seed" && has_value) {
      const auto& text = words[++i];
      std::from_chars(text.data(), text.data() + text.size(), setting.seed);
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
  return chosen == nullptr ? usage() : prove(*chosen, setting);
}

}  // namespace shopbell::proofs

int main(int argc, char** argv) { return shopbell::proofs::run({argv + 1, argv + argc}); }
