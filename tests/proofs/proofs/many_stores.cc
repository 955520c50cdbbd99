// Many stores on one process: half of them write, the others are idle. Their usage stays exact, and
// every chore of the upkeep finishes in time. Without requests the process needs little CPU time.
#include <atomic>
#include <charconv>
#include <deque>
#include <format>
#include <map>
#include <random>
#include <ranges>
#include <sstream>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "base/digest.h"
#include "keyring/keyring.h"
#include "pg/script.h"
#include "resources/all.h"
#include "resources/keys/key.h"
#include "runtime/wait.h"
#include "testing/http_client.h"
#include "testing/installation.h"
#include "tests/proofs/actors/neighbours.h"
#include "tests/proofs/actors/proof.h"
#include "tests/proofs/actors/side_workflow.h"

namespace shopbell::proofs {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using runtime::Steady;
using testing::Answer;
using testing::Ask;

constexpr double kChoreAgeMost = 120;  // seconds since the last success
constexpr double kUsageAgeMost = 60;   // seconds since the last count
constexpr double kIdleCpuPercent = 2;  // maximum use of one core
constexpr std::size_t kConnections = 32;

struct Plan {
  std::size_t accounts;
  std::size_t greeting;    // accounts with a workflow that every new contact enters
  std::size_t per_second;  // requests per second; most of them write one event
  std::chrono::seconds load;
  std::chrono::seconds idle;
};

// Inserts the accounts 1 to n by SQL. Every second one is the test account of the one before. The
// first half gets keys, which are returned.
std::vector<std::string> insert_accounts(const testing::Installation& installation,
                                         pg::Script& database, std::size_t accounts) {
  database.run(std::format(
      "INSERT INTO account (account_id, live_account_id, id, name, time_zone, currency, locale) "
      "SELECT n, CASE WHEN n % 2 = 0 THEN n - 1 END, gen_random_uuid(), 'Store ' || n, 'UTC', "
      "'EUR', 'en' FROM generate_series(1, {0}) n;"
      "INSERT INTO store_usage (account_id) SELECT generate_series(1, {0})",
      accounts));
  const auto keyring = keyring::Keyring::load(installation.config_file().parent_path() / "keyring");
  const auto scopes =
      resources::all_scopes() | std::views::join_with(',') | std::ranges::to<std::string>();
  std::vector<std::string> keys;
  std::string rows;
  for (std::size_t account = 1; account <= accounts / 2; ++account) {
    const auto token = keys::Token::create(account % 2 == 0 ? keys::Mode::test : keys::Mode::live);
    rows += std::format("{}({}, gen_random_uuid(), 'key', '\\x{}', '{}', '{{{}}}')",
                        rows.empty() ? "" : ",", account,
                        to_hex(keyring.hash(keyring::Purpose::api_keys, token.text)), token.hint(),
                        scopes);
    keys.push_back(token.text);
  }
  database.run("INSERT INTO api_key (account_id, key_id, name, hash, hint, scopes) VALUES " + rows);
  return keys;
}

// Writes contacts, products and purchases of all stores at a fixed rate, on a thread of its own.
class StoreLoad {
 public:
  StoreLoad(const testing::Installation::Service& service, std::vector<std::string> keys,
            std::size_t per_second, std::uint64_t seed)
      : keys_{std::move(keys)},
        pause_{std::chrono::microseconds{1'000'000} * std::int64_t{kConnections} /
               static_cast<std::int64_t>(per_second)},
        random_{seed} {
    for (std::size_t i = 0; i < kConnections; ++i)
      clients_.emplace_back(loop_, service.host, service.port, "");
    for (auto& client : clients_) asio::co_spawn(loop_, write_on(client), asio::detached);
    thread_ = std::jthread{[this] { loop_.run(); }};
  }
  ~StoreLoad() { stop(); }

  void stop() {
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
  }

  std::int64_t written() const { return written_; }
  // Unexpected responses; read them after stop().
  const std::map<std::string, int>& others() const { return others_; }

 private:
  // Ids repeat, so that objects are created, changed and deleted, and purchases move to other
  // contacts.
  Ask next() {
    const auto number = [this] { return random_() % 5; };
    const std::string contact = std::format("/contacts/external-id/c{}", number());
    const std::string product = std::format("/products/product-id/p{}", number());
    const auto purchase = number();
    switch (random_() % 20) {
      case 0:
        return {.method = "DELETE", .path = contact};
      case 1:
        return {.method = "DELETE", .path = product};
      case 2:
        return {.method = "DELETE", .path = std::format("/purchases/purchase-id/o{}", purchase)};
      case 3:
      case 4:
      case 5:
        return {.method = "PATCH",
                .path = product,
                .body = std::format(
                    R"({{"name":"Bell","url":"https://shop.example.com/p","price":"{}"}})",
                    random_() % 1000)};
      case 6:
      case 7:
      case 8:
      case 9:
        return {.method = "POST",
                .path = "/purchases/?createContact=true&ifExists=replace",
                .body = std::format(R"({{"purchaseId":"o{}","contact":{{"externalId":"c{}"}},)"
                                    R"("currency":"EUR","total":"{}","lines":[{{"quantity":1}}]}})",
                                    purchase, number(), random_() % 1000)};
      default:
        return {.method = "PATCH",
                .path = contact + "?createContact=true",
                .body = R"({"points":{"add":1}})"};
    }
  }

  asio::awaitable<void> write_on(testing::HttpClient& client) {
    auto due = Steady::now() + pause_ * static_cast<int>(random_() % 100) / 100;
    while (!stopping_) {
      if (const auto now = Steady::now(); now < due) co_await runtime::sleep_for(due - now);
      due += pause_;
      Ask ask = next();
      ask.headers.emplace_back("Authorization", "Bearer " + keys_[random_() % keys_.size()]);
      const std::string method = ask.method;
      const Answer answer = co_await client.send(std::move(ask));
      const bool missing = method == "DELETE" && answer.status == 404;
      if (succeeded(answer)) {
        ++written_;
      } else if (!missing) {
        ++others_[std::format("{} {}", answer.status, answer.body.substr(0, 200))];
      }
    }
  }

  const std::vector<std::string> keys_;
  const Steady::duration pause_;
  std::mt19937_64 random_;
  asio::io_context loop_;
  std::deque<testing::HttpClient> clients_;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::int64_t> written_ = 0;
  std::map<std::string, int> others_;
  std::jthread thread_;
};

// Returns the age of the oldest last success of all chores, in seconds.
double oldest_success(const testing::Installation::Service& service) {
  asio::io_context loop;
  testing::HttpClient client{loop, service.host, service.private_port, ""};
  const Answer answer = runtime::run_to_end(loop, client.get("/metrics"));
  const double now = std::chrono::duration<double>{system_clock().now().time_since_epoch()}.count();
  double oldest = now;
  std::istringstream lines{answer.body};
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("shopbell_upkeep_success_seconds{")) continue;
    double at = 0;
    std::from_chars(line.data() + line.rfind(' ') + 1, line.data() + line.size(), at);
    oldest = std::min(oldest, at);
  }
  return now - oldest;
}

// Returns the number of accounts with a wrong event count. The right count is the number of events
// up to the position of the last count. One statement reads both, so the result is exact.
std::int64_t wrong_event_counts(pg::Script& database) {
  return database
      .query(R"(
    SELECT count(*) AS count
      FROM store_usage u
      LEFT JOIN (SELECT e.account_id, count(*) AS events FROM event e CROSS JOIN usage_position p
                  WHERE pg_visible_in_snapshot(e.xid, p.shows)
                    AND e.received_at >= date_trunc('month', p.at, 'UTC')
                  GROUP BY e.account_id) c USING (account_id)
     WHERE u.events_this_month <> coalesce(c.events, 0))")[0]
      .integer("count");
}

std::int64_t wrong_counts(pg::Script& database) {
  const auto of = [](std::string_view table) {
    return std::format("(SELECT count(*) FROM {} x WHERE x.account_id = u.account_id)", table);
  };
  return database
      .query(std::format("SELECT count(*) AS count FROM store_usage u WHERE "
                         "(u.contacts, u.products, u.purchases) <> ({}, {}, {})",
                         of("contact"), of("product"), of("purchase")))[0]
      .integer("count");
}

double usage_age(pg::Script& database) {
  const std::string age =
      database.query("SELECT extract(epoch FROM now() - at)::text AS age FROM usage_position")[0]
          .text("age");
  return std::stod(age);
}

double idle_cpu_percent(const testing::Process& process, std::chrono::seconds length) {
  const double before = process.cpu_seconds();
  std::this_thread::sleep_for(length);
  return 100 * (process.cpu_seconds() - before) / static_cast<double>(length.count());
}

struct Figures {
  double chore_age = 0;  // highest age of a chore's last success, in seconds
  double usage_age = 0;
  std::int64_t wrong = 0;  // number of wrong event counts
};

void look(const testing::Installation::Service& service, pg::Script& database, Figures& seen) {
  seen.chore_age = std::max(seen.chore_age, oldest_success(service));
  seen.usage_age = std::max(seen.usage_age, usage_age(database));
  seen.wrong += wrong_event_counts(database);
}

}  // namespace

Verdict many_stores(const Setting& setting) {
  const Plan plan = setting.quick ? Plan{400, 5, 100, 6s, 3s} : Plan{20'000, 200, 1000, 600s, 60s};
  testing::Installation installation{setting.checkout, setting.binary};
  pg::Script database{installation.admin_url()};
  const std::vector<std::string> keys = insert_accounts(installation, database, plan.accounts);
  const auto service = installation.start_service();
  Figures seen;
  std::string greets_since;
  for (std::size_t i = 0; i < plan.greeting; ++i)
    greets_since = publish_greeting(installation.admin_url(), service.host, service.port, keys[i]);
  StoreLoad load{service, keys, plan.per_second, setting.seed};
  const auto began = Steady::now();
  while (Steady::now() - began < plan.load) {
    std::this_thread::sleep_for(setting.quick ? 2s : 20s);
    look(service, database, seen);
    progress(std::format("many-stores: {} writes", load.written()));
  }
  load.stop();
  const std::chrono::duration<double> seconds = Steady::now() - began;
  // Wait until the service has counted the events of the load; it counts every 20 s.
  const std::string end = database.query("SELECT now()::text AS now")[0].text("now");
  const std::string counted =
      std::format("SELECT 1 FROM usage_position WHERE at > '{}'::timestamptz", end);
  const auto until = Steady::now() + 60s;
  while (database.query(counted).empty() && Steady::now() < until) {
    if (setting.quick) database.run("SELECT advance_usage(1000000)");
    std::this_thread::sleep_for(100ms);
  }
  look(service, database, seen);
  seen.wrong += wrong_counts(database);
  Greetings greetings;
  for (std::size_t account = 1; account <= plan.greeting; ++account)
    greetings += compare_greetings(database, greets_since, static_cast<std::int64_t>(account));
  const double cpu = idle_cpu_percent(*service.process, plan.idle);
  look(service, database, seen);

  const bool judged = judges_times(setting);
  const double rate = static_cast<double>(load.written()) / seconds.count();
  int others = 0;
  for (const auto& [what, times] : load.others()) others += times;
  const bool in_time = cpu <= kIdleCpuPercent && rate >= 0.9 * static_cast<double>(plan.per_second);
  const bool holds = seen.wrong == 0 && greetings.exact() && others == 0 && load.written() > 0 &&
                     seen.chore_age <= kChoreAgeMost && seen.usage_age <= kUsageAgeMost &&
                     service.process->alive() && (!judged || in_time);
  std::string figures = std::format(
      "{} accounts, {} of them active, {} writes, {:.0f}/s: {} wrong counts, usage at most {:.0f} "
      "s "
      "old, chores {:.0f} s, {} unexpected responses; idle {:.1f} % of a core{}",
      plan.accounts, keys.size(), load.written(), rate, seen.wrong, seen.usage_age, seen.chore_age,
      others, cpu, judged ? "" : " (times not judged)");
  figures += "; " + greetings.text();
  for (const auto& [what, times] : load.others()) figures += std::format("; {} × {}", times, what);
  if (!holds) figures += std::format("; logs in {}", installation.keep_logs().string());
  return {.holds = holds, .figures = std::move(figures)};
}

}  // namespace shopbell::proofs
