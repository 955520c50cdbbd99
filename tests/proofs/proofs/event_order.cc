// Many clients write to few contacts over two processes. Every acknowledged write has exactly one
// event. The events of a contact are numbered without a gap, in commit order, which is also the
// order of its points.
#include "tests/proofs/proofs/event_order.h"

#include <algorithm>
#include <format>
#include <map>
#include <random>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "pg/script.h"
#include "runtime/wait.h"
#include "tests/proofs/actors/contact_ledger.h"

namespace shopbell::proofs {

namespace {

namespace asio = boost::asio;
using runtime::Steady;
using testing::Answer;
using testing::Ask;
using testing::Installation;

constexpr std::size_t kWriters = 32;
constexpr std::size_t kContacts = 20;

// A write: its contact, and the points in its response.
struct HotWrite {
  std::size_t contact = 0;
  std::int64_t points = 0;  // points in the response; 0 if the write was not acknowledged
};

struct HotContact {
  std::string path;
  Uuid id;
  std::int64_t acknowledged = 0;
  std::int64_t highest = 0;  // the highest points in any response
};

// The state of one run, used on one thread.
struct HotRun {
  std::vector<HotContact> contacts;
  std::vector<HotWrite> writes;
  std::size_t next = 0;
  std::int64_t inversions = 0;  // writes acknowledged before another was sent, but ordered after it
  std::map<std::string, int> others;
};

struct OrderFigures {
  std::int64_t missing = 0;
  std::int64_t twice = 0;
  std::int64_t disorder = 0;
  std::int64_t wrong_sums = 0;
};

asio::awaitable<void> create(PairClient& client, HotRun& run) {
  for (std::size_t i = 0; i < kContacts; ++i) {
    HotContact contact{.path = std::format("/contacts/external-id/hot-{}", i)};
    const Answer answer = co_await client.send(
        i % 2, {.method = "PATCH", .path = contact.path + "?createContact=true", .body = "{}"});
    const auto id = Uuid::parse(member_of(answer.body, "id").value_or(""));
    if (!id) ++run.others[std::format("create: {} {}", answer.status, answer.body)];
    contact.id = id.value_or(Uuid{});
    run.contacts.push_back(std::move(contact));
  }
}

Ask ask_of(const HotRun& run, std::size_t number, std::uint64_t seed) {
  Ask ask{.method = "PATCH",
          .path = run.contacts[run.writes[number].contact].path,
          .body = std::format(R"({{"points":{{"add":1}},"firstName":"{}"}})", number)};
  if (number % 2 == 0)
    ask.headers.emplace_back("Idempotency-Key", std::format("{}-{}", seed, number));
  return ask;
}

asio::awaitable<void> write_on(PairClient& client, std::size_t which, HotRun& run,
                               std::uint64_t seed) {
  std::mt19937_64 random{seed + which};
  while (run.next < run.writes.size()) {
    const std::size_t number = run.next++;
    HotWrite& write = run.writes[number];
    write.contact = random() % kContacts;
    HotContact& contact = run.contacts[write.contact];
    const std::int64_t before = contact.highest;
    const Answer answer = co_await client.send(which % 2, ask_of(run, number, seed));
    if (answer.outcome != Answer::Outcome::answered || answer.status != 200) {
      ++run.others[std::format("{} {}", answer.status,
                               member_of(answer.body, "code").value_or(""))];
      continue;
    }
    write.points = std::stoll(member_of(answer.body, "points").value_or("0"));
    if (write.points <= before) ++run.inversions;
    contact.highest = std::max(contact.highest, write.points);
    ++contact.acknowledged;
    if (number % 1000 == 0)
      progress(std::format("event-order: {}/{} writes", number, run.writes.size()));
  }
}

// Runs all writes; returns the seconds they took.
double write_all(ProcessPair& pair, const std::string& key, std::uint64_t seed, HotRun& run) {
  asio::io_context loop;
  std::deque<PairClient> clients;
  for (std::size_t i = 0; i < kWriters; ++i) clients.emplace_back(loop, pair, key);
  runtime::run_to_end(loop, create(clients.front(), run));
  const auto started = Steady::now();
  loop.restart();
  for (std::size_t i = 0; i < kWriters; ++i)
    asio::co_spawn(loop, write_on(clients[i], i, run, seed + i * 7919), asio::detached);
  loop.run();
  return std::chrono::duration<double>(Steady::now() - started).count();
}

// Checks the events of one contact in id order: the first is its creation, and the n-th after it
// sets n points.
void check_contact(const HotContact& contact, pg::Script& database, HotRun& run,
                   std::vector<int>& seen, OrderFigures& figures) {
  const pg::Result events = database.query(std::format(
      "SELECT contact_seq, coalesce(payload->'after'->>'firstName', '-1')::bigint AS mark, "
      "coalesce(payload->'after'->>'points', '0')::bigint AS points "
      "FROM event WHERE contact_id = '{}' ORDER BY id",
      contact.id.to_string()));
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto event = events[i];
    const auto place = static_cast<std::int64_t>(i);
    if (event.maybe_integer("contact_seq") != place + 1 || event.integer("points") != place)
      ++figures.disorder;
    const auto mark = event.integer("mark");
    if (mark < 0) continue;
    const auto number = static_cast<std::size_t>(mark);
    ++seen[number];
    // The response must describe this write, not a later one.
    if (run.writes[number].points != 0 && run.writes[number].points != event.integer("points"))
      ++figures.disorder;
  }
  const pg::Result rows = database.query(std::format(
      "SELECT points, event_seq FROM contact WHERE contact_id = '{}'", contact.id.to_string()));
  const auto changes = static_cast<std::int64_t>(events.size()) - 1;
  if (rows.empty() || rows[0].integer("points") != changes ||
      rows[0].integer("event_seq") != changes + 1 || contact.acknowledged > changes)
    ++figures.wrong_sums;
}

OrderFigures check(HotRun& run, pg::Script& database) {
  OrderFigures figures;
  std::vector<int> seen(run.writes.size());
  for (const auto& contact : run.contacts) check_contact(contact, database, run, seen, figures);
  for (std::size_t i = 0; i < run.writes.size(); ++i) {
    if (run.writes[i].points != 0 && seen[i] == 0) ++figures.missing;
    if (seen[i] > 1) ++figures.twice;
  }
  return figures;
}

std::string figures_of(const HotRun& run, const OrderFigures& order, double per_second,
                       const HistoryFigures& history) {
  std::string text = std::format(
      "{} writers, {} contacts, 2 processes: {} writes, {:.0f}/s: {} missing, {} twice, {} out of "
      "order, {} inversions, {} wrong sums, {} kinds of unexpected response; {} partitions, {} "
      "history "
      "pages by 20 at once: {} errors, {} inexact, planning {:.2f} ms",
      kWriters, kContacts, run.writes.size(), per_second, order.missing, order.twice,
      order.disorder, run.inversions, order.wrong_sums, run.others.size(), history.partitions,
      history.pages, history.errors, history.inexact, history.planning_ms);
  for (const auto& [what, times] : run.others) text += std::format("; {} × {}", times, what);
  for (const auto& example : history.examples) text += "; " + example;
  return text;
}

std::string figures_of(const HotFigures& hot, bool judged) {
  return std::format(
      "; one contact, hot and locked half of the time, {:.0f} writes/s, {:.0f} in flight, "
      "CPU {:.0f} %: p99 of its account {:.1f} → {:.1f} ms, of another {:.1f} → {:.1f} ms, {} "
      "unanswered{}",
      hot.hot_per_second, hot.in_flight, hot.cpu_percent, hot.same_account.quiet_p99_ms,
      hot.same_account.loud_p99_ms, hot.other_account.quiet_p99_ms, hot.other_account.loud_p99_ms,
      hot.unanswered, judged ? "" : " (times not judged)");
}

}  // namespace

Verdict event_order(const Setting& setting) {
  Installation installation{setting.checkout, setting.binary};
  const std::string key = installation.create_unlimited_key("Order");
  const std::string other_key = installation.create_unlimited_key("Neighbour");
  ProcessPair pair{installation};
  HotRun run;
  run.writes.resize(setting.quick ? 2'000 : 100'000);
  const double seconds = write_all(pair, key, setting.seed, run);
  pg::Script database{installation.admin_url()};
  progress("event-order: comparing");
  const OrderFigures order = check(run, database);
  // This is measured before the past months are filled with artificial events.
  const HotFigures hot = measure_neighbours(setting, installation, pair, key, other_key);
  std::vector<Uuid> ids;
  for (const auto& contact : run.contacts) ids.push_back(contact.id);
  const auto account =
      database.query("SELECT account_id FROM contact WHERE external_id = 'hot-0'")[0].integer(
          "account_id");
  progress("event-order: histories");
  const HistoryFigures history = look_up_histories(setting, installation, account, ids);
  const bool judged = judges_times(setting);
  const bool ordered = order.missing == 0 && order.twice == 0 && order.disorder == 0 &&
                       order.wrong_sums == 0 && run.inversions == 0 && run.others.empty();
  const bool in_time =
      !judged || (hot.same_account.good() && hot.other_account.good() && history.quick());
  const bool holds = ordered && in_time && hot.unanswered == 0 && history.exact() && pair.alive();
  std::string figures =
      figures_of(run, order, static_cast<double>(run.writes.size()) / seconds, history) +
      figures_of(hot, judged);
  if (!holds) figures += std::format("; logs in {}", installation.keep_logs().string());
  return {.holds = holds, .figures = std::move(figures)};
}

}  // namespace shopbell::proofs
