#include <format>
#include <span>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "app/config/config.h"
#include "events/history.h"
#include "events/queries.h"
#include "observe/log.h"
#include "observe/metrics.h"
#include "pg/pool.h"
#include "pg/script.h"
#include "runtime/wait.h"
#include "tests/proofs/proofs/event_order.h"

namespace shopbell::proofs {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr std::size_t kReaders = 20;
constexpr std::int64_t kPage = 100;

// Creates partitions like keep_event_partitions, but for past months.
constexpr std::string_view kMakePastMonths = R"(
DO $$
DECLARE
  month timestamp;
  name  text;
BEGIN
  FOR i IN 1..14 LOOP
    month := date_trunc('month', now() AT TIME ZONE 'UTC') - make_interval(months => i);
    name := to_char(month, '"event_"YYYY_MM');
    CONTINUE WHEN to_regclass('public.' || name) IS NOT NULL;
    EXECUTE format('CREATE TABLE public.%I (LIKE public.event INCLUDING ALL EXCLUDING IDENTITY)', name);
    EXECUTE format('ALTER TABLE public.%I OWNER TO shopbell_owner', name);
    EXECUTE format('ALTER TABLE public.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE public.event ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)',
                   name, month || '+00', (month + interval '1 month') || '+00');
  END LOOP;
END $$)";

void fill_past_months(pg::Script& database, std::int64_t account, int each_month) {
  database.run(kMakePastMonths);
  database.run(std::format(
      "INSERT INTO event (account_id, received_at, uid, lane, contact_id, kind, format, "
      "occurred_at, trigger, hops, source, payload) "
      "SELECT c.account_id, t.at, gen_random_uuid(), c.lane, c.contact_id, 'contact.updated', 1, "
      "t.at, 'none', 0, 'api', '{{}}' "
      "FROM contact c, generate_series(1, 14) AS m, generate_series(1, {}) AS n, LATERAL (SELECT "
      "(date_trunc('month', now() AT TIME ZONE 'UTC') - make_interval(months => m) "
      "+ make_interval(mins => n * 7)) AT TIME ZONE 'UTC' AS at) AS t "
      "WHERE c.account_id = {}",
      each_month, account));
  database.run("ANALYZE event");
}

// Reads the whole history of one contact, page by page.
asio::awaitable<std::int64_t> read_history(pg::Pool& pool, std::int64_t account, Uuid contact,
                                           HistoryFigures& figures) {
  std::int64_t count = 0;
  std::optional<events::HistoryPosition> before;
  while (true) {
    const pg::Scope scope{.account = account, .deadline = pg::Steady::now() + 5s};
    events::HistoryPage wanted{.behind = before, .limit = kPage};
    wanted.contacts.push_back(contact);
    const auto page = co_await events::list_history(pool, scope, std::move(wanted));
    ++figures.pages;
    for (const auto& event : page) {
      const auto& at = event.position;
      if (before && std::pair{at.received_at, at.id} >= std::pair{before->received_at, before->id})
        ++figures.inexact;
      before = at;
    }
    count += static_cast<std::int64_t>(page.size());
    if (static_cast<std::int64_t>(page.size()) < kPage) co_return count;
  }
}

asio::awaitable<void> read_and_compare(pg::Pool& pool, std::int64_t account, Uuid contact,
                                       std::int64_t expected, HistoryFigures& figures) {
  try {
    const auto count = co_await read_history(pool, account, contact, figures);
    if (count != expected) ++figures.inexact;
  } catch (const std::exception& error) {
    ++figures.errors;
    figures.examples.emplace_back(error.what());
  }
}

void read_histories(const std::string& api_url, std::int64_t account,
                    const std::vector<Uuid>& contacts, pg::Script& database,
                    HistoryFigures& figures) {
  asio::io_context loop;
  observe::Metrics metrics;
  pg::Health health;
  pg::Pool pool{loop, {.url = api_url, .shared = kReaders}, metrics, health};
  runtime::run_to_end(loop, pool.wait_connected(pg::Steady::now() + 10s));
  std::size_t reading = kReaders;
  loop.restart();
  for (std::size_t i = 0; i < kReaders; ++i) {
    const Uuid& contact = contacts[i % contacts.size()];
    const auto expected = database
                              .query(std::format("SELECT count(*) AS n FROM event WHERE "
                                                 "account_id = {} AND contact_id = '{}'",
                                                 account, contact.to_string()))[0]
                              .integer("n");
    asio::co_spawn(loop, read_and_compare(pool, account, contact, expected, figures),
                   [&](std::exception_ptr) {
                     if (--reading == 0) loop.stop();
                   });
  }
  loop.run();
}

double planning_of(const pg::Result& plan) {
  constexpr std::string_view kPlanning = "Planning Time: ";
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const std::string line = plan[i].text("QUERY PLAN");
    if (const auto at = line.find(kPlanning); at != std::string::npos)
      return std::stod(line.substr(at + kPlanning.size()));
  }
  throw std::runtime_error{"EXPLAIN returned no planning time"};
}

// Returns the shortest planning time of several runs, because other load on the CPU only adds to
// it.
double least_planning(const std::string& api_url, std::int64_t account, const Uuid& contact) {
  pg::Script api{api_url};
  api.run(std::format("SELECT set_config('shopbell.account', '{}', false)", account));
  const std::string query =
      std::format("EXPLAIN (ANALYZE, SUMMARY)\n{}", events::sql::list_newest_history.sql);
  const std::vector<std::string> parameters{std::to_string(account),
                                            std::format("{{{}}}", contact.to_string()),
                                            R"({""})",
                                            "{~}",
                                            "-infinity",
                                            "0",
                                            "infinity",
                                            "0",
                                            std::to_string(kPage)};
  std::vector<double> times;
  for (int i = 0; i < 9; ++i) times.push_back(planning_of(api.query(query, parameters)));
  return std::ranges::min(times);
}

}  // namespace

HistoryFigures look_up_histories(const Setting& setting, const testing::Installation& installation,
                                 std::int64_t account, const std::vector<Uuid>& contacts) {
  observe::start_logs(observe::Level::warn);  // standard output is reserved for the proof's result
  const std::string api_url = app::load_config(installation.config_file(), [](const std::string&) {
                                return std::nullopt;
                              }).database_api;
  pg::Script database{installation.admin_url()};
  fill_past_months(database, account, setting.quick ? 20 : 200);
  HistoryFigures figures;
  figures.partitions =
      database.query("SELECT count(*) AS n FROM pg_inherits WHERE inhparent = 'event'::regclass")[0]
          .integer("n");
  read_histories(api_url, account, contacts, database, figures);
  figures.planning_ms = least_planning(api_url, account, contacts.front());
  return figures;
}

}  // namespace shopbell::proofs
