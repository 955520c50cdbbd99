// Coupons: 64 concurrent claimers, in their own processes, claim every code of a set. They are
// killed, lose their connections and their database, and then repeat their claims.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <format>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/config/config.h"
#include "events/event.h"
#include "observe/log.h"
#include "observe/metrics.h"
#include "pg/pool.h"
#include "pg/script.h"
#include "resources/coupons/claim.h"
#include "testing/http_client.h"
#include "testing/installation.h"
#include "tests/proofs/actors/client_group.h"
#include "tests/proofs/actors/proof.h"

namespace shopbell::proofs {

namespace {

namespace asio = boost::asio;
using coupons::LaneClaim;
using namespace std::chrono_literals;

constexpr std::size_t kClaimers = 8;     // number of claimer processes
constexpr std::size_t kConnections = 8;  // connections per process, and so its claims in flight
constexpr std::size_t kContacts = 500;

struct Size {
  std::size_t codes = 10'000;
  std::size_t claims = 10'400;  // more than there are codes, so that the last claims are refused
  int kills = 30;
  int cuts = 60;  // number of connections that the server terminates
  int crashes = 3;
};

// The plan that all claimers share: each claim with its contact and id.
struct Plan {
  std::string url;
  std::vector<LaneClaim> claims;
};

asio::awaitable<std::string> claim_code(pg::Pool& database, const LaneClaim& claim) {
  pg::Group effect;
  coupons::add_lane_claims(effect, {&claim, 1});
  const pg::Results results =
      co_await database.commit(std::move(effect), {.deadline = pg::Steady::now() + 5s});
  co_return coupons::found_lane_claims(results[0], 1)[0].value_or("(empty)");
}

// Repeats each claim until it is answered, and records the answer with a single write, so that a
// kill leaves a complete record or none.
asio::awaitable<void> claim_all(pg::Pool& database, const Plan& plan,
                                std::vector<std::size_t> order, int notes, int& open) {
  for (const std::size_t number : order) {
    while (true) {
      try {
        const std::string code = co_await claim_code(database, plan.claims[number]);
        const std::string line = std::format("{} {}\n", number, code);
        if (::write(notes, line.data(), line.size()) != std::ssize(line)) std::abort();
        break;
      } catch (const pg::Error&) {
        // It lost a race, or the claim may be committed: a retry returns its code.
      }
      co_await runtime::sleep_for(10ms);
    }
  }
  --open;
}

// Runs one claimer process. Every process runs all claims of the plan, each in its own order.
[[noreturn]] void be_claimer(const Plan& plan, std::uint64_t seed,
                             const std::filesystem::path& notes_file) {
  observe::start_logs(observe::Level::error);
  const int notes = ::open(notes_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  asio::io_context loop;
  observe::Metrics metrics;
  pg::Health health;
  pg::Pool database{loop, {.url = plan.url, .writing = kConnections}, metrics, health};
  std::mt19937_64 random{seed};
  int open = kConnections;
  for (std::size_t i = 0; i < kConnections; ++i) {
    std::vector<std::size_t> order;
    for (std::size_t number = i; number < plan.claims.size(); number += kConnections)
      order.push_back(number);
    std::ranges::shuffle(order, random);
    asio::co_spawn(loop, claim_all(database, plan, std::move(order), notes, open), asio::detached);
  }
  while (open > 0) loop.run_one();
  ::_exit(0);
}

class Race {
 public:
  Race(const Setting& setting, Size size)
      : size_{size},
        installation_{setting.checkout, setting.binary},
        key_{installation_.create_unlimited_key("Coupons")},
        admin_{std::make_unique<pg::Script>(installation_.admin_url())},
        random_{setting.seed} {
    prepare();
  }

  void run() {
    for (std::size_t i = 0; i < kClaimers; ++i) start(i);
    std::vector<char> turns;
    turns.insert(turns.end(), static_cast<std::size_t>(size_.kills), 'k');
    turns.insert(turns.end(), static_cast<std::size_t>(size_.cuts), 'c');
    turns.insert(turns.end(), static_cast<std::size_t>(size_.crashes), 'p');
    std::ranges::shuffle(turns, random_);
    for (const char turn : turns) {
      std::this_thread::sleep_for(std::chrono::milliseconds{30 + random_() % 120});
      if (turn == 'k') kill_one();
      if (turn == 'c') cut_one();
      if (turn == 'p') crash();
      compare_counters();
      progress(std::format("coupons: {} killed, {} given", killed_, count("coupon_claim")));
    }
    for (auto& claimer : claimers_) {
      int status = 0;
      ::waitpid(claimer, &status, 0);
      if (status != 0) wrong(std::format("a claimer exited with status {}", status));
    }
    compare_counters();
  }

  Verdict judge() {
    const auto told = read_notes();
    judge_notes(told);
    judge_rows();
    judge_interface();
    Verdict verdict{.holds = wrong_.empty()};
    verdict.figures = std::format(
        "{} codes, {} claims by {} claimers, killed {} times, {} connections cut, {} crashes of "
        "PostgreSQL: {} answers, {} codes given, none twice, none lost, {} claims refused because "
        "no code was left; counters exact at {} reads during the race and at its end",
        size_.codes, size_.claims, kClaimers * kConnections, killed_, cut_, size_.crashes, answers_,
        size_.codes, size_.claims - size_.codes, compared_);
    for (const auto& [what, times] : wrong_)
      verdict.figures += std::format("; WRONG, {} times: {}", times, what);
    return verdict;
  }

 private:
  void wrong(const std::string& what) { ++wrong_[what.substr(0, 300)]; }
  void expect(bool right, const std::string& what) {
    if (!right) wrong(what);
  }

  std::int64_t count(const std::string& from) {
    return admin_->query("SELECT count(*) AS n FROM " + from)[0].integer("n");
  }

  void prepare() {
    const auto account =
        admin_->query("SELECT account_id FROM account WHERE live_account_id IS NULL");
    const std::int64_t id = account[0].integer("account_id");
    const Instant now = system_clock().now();
    set_ = Uuid::v7(now);
    admin_->run(std::format(
        "INSERT INTO coupon_set (account_id, coupon_set_id, lane, alias, name, kind, low_watermark,"
        " created_at, updated_at) VALUES ({0}, '{1}', 0, 'race', 'Race', 'unique', 10, now(), "
        "now());"
        "INSERT INTO coupon (account_id, code_key, coupon_set_id, code, shared, added_at)"
        " SELECT {0}, 'code-' || n, '{1}', 'CODE-' || n, false, now() FROM generate_series(1, {2}) "
        "n;"
        "SELECT count_coupons({0}, '{1}', {2}, {2}, 0, 0)",
        id, set_.to_string(), size_.codes));
    std::vector<Uuid> contacts;
    for (std::size_t i = 0; i < kContacts; ++i) {
      contacts.push_back(Uuid::v7(now));
      admin_->run(std::format(
          "INSERT INTO contact (account_id, contact_id, lane, external_id, created_at, updated_at) "
          "VALUES ({}, '{}', {}, 'c{}', now(), now())",
          id, contacts.back().to_string(), events::lane_of(id, contacts.back()), i));
    }
    plan_.url = app::load_config(installation_.config_file(), [](const std::string&) {
                  return std::nullopt;
                }).database_worker;
    for (std::size_t i = 0; i < size_.claims; ++i)
      plan_.claims.push_back({.account = id,
                              .set = "race",
                              .contact = contacts[i % contacts.size()],
                              .id = Uuid::v7(now),
                              .run = Uuid::v7(now)});
    notes_ = std::filesystem::temp_directory_path() / ("shopbell-claims." + set_.to_string());
    std::filesystem::create_directory(notes_);
  }

  void start(std::size_t which) {
    const std::uint64_t seed = random_();
    const auto file = notes_ / std::format("{}", started_++);
    const pid_t child = ::fork();
    if (child == 0) be_claimer(plan_, seed, file);
    claimers_[which] = child;
  }

  void kill_one() {
    const std::size_t which = random_() % kClaimers;
    ::kill(claimers_[which], SIGKILL);
    int status = 0;
    ::waitpid(claimers_[which], &status, 0);
    ++killed_;
    start(which);
  }

  void cut_one() {
    cut_ +=
        static_cast<int>(admin_
                             ->query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                                     " WHERE usename = 'shopbell_worker' ORDER BY random() LIMIT 3")
                             .size());
  }

  void crash() {
    admin_.reset();
    installation_.crash_database();
    installation_.resume_database();
    admin_ = std::make_unique<pg::Script>(installation_.admin_url());
  }

  // Compares counters and codes in a single snapshot.
  void compare_counters() {
    const auto seen = admin_->query(
        "SELECT s.total, s.available, s.assigned, s.redeemed, c.total AS codes, c.free, c.given,"
        " (SELECT count(*) FROM coupon_claim) AS claims"
        " FROM (SELECT sum(total) AS total, sum(available) AS available, sum(assigned) AS assigned,"
        "       sum(redeemed) AS redeemed FROM coupon_slot) s,"
        " (SELECT count(*) AS total, count(*) FILTER (WHERE claim_id IS NULL) AS free,"
        "         count(claim_id) AS given FROM coupon) c");
    const pg::Row row = seen[0];
    ++compared_;
    expect(row.integer("total") == row.integer("codes") &&
               row.integer("available") == row.integer("free") &&
               row.integer("assigned") == row.integer("given") &&
               row.integer("assigned") == row.integer("claims") && row.integer("redeemed") == 0,
           std::format("counters {}/{}/{} of {} codes, {} free, {} given, {} claims",
                       row.integer("total"), row.integer("available"), row.integer("assigned"),
                       row.integer("codes"), row.integer("free"), row.integer("given"),
                       row.integer("claims")));
  }

  // Maps each claim to the distinct answers that its claimers got.
  std::map<std::size_t, std::set<std::string>> read_notes() {
    std::map<std::size_t, std::set<std::string>> told;
    for (const auto& file : std::filesystem::directory_iterator{notes_}) {
      std::ifstream lines{file.path()};
      std::size_t number = 0;
      for (std::string answer; lines >> number >> answer; ++answers_) told[number].insert(answer);
    }
    std::filesystem::remove_all(notes_);
    return told;
  }

  void judge_notes(const std::map<std::size_t, std::set<std::string>>& told) {
    expect(told.size() == size_.claims, "a claim was never answered");
    std::map<std::string, std::size_t> owners;
    std::size_t empty = 0;
    for (const auto& [number, answers] : told) {
      if (answers.size() != 1) {
        wrong("one claim got two different answers");
        continue;
      }
      if (*answers.begin() == "(empty)") {
        ++empty;
        continue;
      }
      if (!owners.emplace(*answers.begin(), number).second)
        wrong("one code was given to two claims");
      const auto kept = admin_->query(
          std::format("SELECT c.code FROM coupon_claim k JOIN coupon c USING (account_id, code_key)"
                      " WHERE k.claim_id = '{}'",
                      plan_.claims[number].id.to_string()));
      expect(kept.size() == 1 && kept[0].text("code") == *answers.begin(),
             "a claim's answer differs from its row");
    }
    expect(owners.size() == size_.codes, std::format("{} codes were given", owners.size()));
    expect(empty == size_.claims - size_.codes, std::format("{} claims got no code", empty));
  }

  void judge_rows() {
    const auto none = [&](const std::string& from, const std::string& what) {
      if (const auto found = count(from)) wrong(std::format("{}: {}", what, found));
    };
    none("coupon WHERE claim_id IS NULL", "codes left over");
    none(
        "coupon c LEFT JOIN coupon_claim k USING (account_id, claim_id) WHERE k.code_key IS "
        "DISTINCT FROM c.code_key OR k.contact_id IS NULL",
        "codes without their claim");
    none("(SELECT FROM coupon_claim GROUP BY code_key HAVING count(*) > 1) twice",
         "codes with two claims");
    none(
        "(SELECT FROM event WHERE kind = 'coupon.assigned' GROUP BY payload->>'code' HAVING "
        "count(*) > 1) twice",
        "codes with two coupon.assigned events");
    expect(count("event WHERE kind = 'coupon.assigned'") == static_cast<std::int64_t>(size_.codes),
           "the number of coupon.assigned events differs from that of codes");
    expect(count("event WHERE kind = 'coupon-set.low'") == 1,
           "not exactly one coupon-set.low event");
  }

  void judge_interface() {
    const auto service = installation_.start_service();
    asio::io_context loop;
    testing::HttpClient client{loop, service.host, service.port, key_};
    const auto answer = runtime::run_to_end(loop, client.get("/coupon-sets/race"));
    const std::string counters = member_of(answer, "total") + " " + member_of(answer, "available") +
                                 " " + member_of(answer, "assigned") + " " +
                                 member_of(answer, "redeemed");
    expect(counters == std::format("{0} 0 {0} 0", size_.codes), "the API returns " + counters);
  }

  Size size_;
  testing::Installation installation_;
  std::string key_;
  std::unique_ptr<pg::Script> admin_;
  std::mt19937_64 random_;
  Uuid set_;
  Plan plan_;
  std::filesystem::path notes_;
  std::array<pid_t, kClaimers> claimers_{};
  int started_ = 0;
  int killed_ = 0;
  int cut_ = 0;
  int compared_ = 0;
  std::size_t answers_ = 0;
  std::map<std::string, int> wrong_;
};

}  // namespace

Verdict coupons(const Setting& setting) {
  Race race{setting, setting.quick
                         ? Size{.codes = 400, .claims = 420, .kills = 5, .cuts = 5, .crashes = 1}
                         : Size{}};
  race.run();
  return race.judge();
}

}  // namespace shopbell::proofs
