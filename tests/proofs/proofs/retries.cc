// Clients send purchases and events over two processes that are killed every few seconds. They
// retry unacknowledged requests and repeat many acknowledged ones, late and out of order, with and
// without an Idempotency-Key. At the end each purchase and each event is there once.
#include <format>
#include <random>
#include <set>
#include <thread>

#include <boost/asio/co_spawn.hpp>

#include "pg/script.h"
#include "runtime/wait.h"
#include "tests/proofs/actors/contact_ledger.h"
#include "tests/proofs/actors/process_pair.h"
#include "tests/proofs/actors/proof.h"

namespace shopbell::proofs {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using runtime::Steady;
using testing::Answer;
using testing::Ask;
using testing::Installation;

constexpr std::size_t kClients = 32;
constexpr std::size_t kPeople = 50;

// Counters of all clients, which share one thread.
struct RetryTally {
  std::atomic<std::int64_t> acknowledged = 0;
  std::int64_t purchases = 0;
  std::int64_t events = 0;
  std::int64_t blind = 0;  // requests repeated although they were acknowledged
  std::int64_t unavailable = 0;
  std::int64_t stuck = 0;
  std::map<std::string, int> others;
};

class Sender {
 public:
  Sender(asio::io_context& loop, ProcessPair& pair, const std::string& key, std::size_t number,
         std::uint64_t seed, RetryTally& tally)
      : client_{loop, pair, key}, number_{number}, random_{seed + number * 7919}, tally_{tally} {}

  asio::awaitable<void> run(const std::atomic<bool>& stop) {
    while (!stop) {
      const Ask ask = next();
      if (co_await insist(ask)) {
        ++tally_.acknowledged;
        ++(ask.path.starts_with("/purchases") ? tally_.purchases : tally_.events);
        kept_.push_back(ask);
      }
      // Repeats some earlier acknowledged requests, in random order.
      if (random_() % 100 < 30 && !kept_.empty()) {
        ++tally_.blind;
        co_await insist(kept_[random_() % kept_.size()]);
      }
    }
  }

 private:
  Ask next() {
    const std::string mark = std::format("{}-{}", number_, ++count_);
    const std::string person = std::format("buyer-{}@example.com", random_() % kPeople);
    const bool keyed = random_() % 2 == 0;
    Ask ask{.method = "POST"};
    if (random_() % 2 == 0) {
      ask.path = "/purchases/?createContact=true";
      ask.body = std::format(
          R"({{"purchaseId":"{}","contact":{{"email":"{}"}},"currency":"EUR","total":"0.01",)"
          R"("lines":[{{"quantity":1}}]}})",
          mark, person);
    } else {
      // Without a key the event needs its own id, so that a retry is recognised.
      const std::string id = keyed ? "" : std::format(R"("eventId":"{}",)", mark);
      ask.path = "/custom-events/alias/ring?createContact=true";
      ask.body = std::format(R"({{{}"contact":{{"email":"{}"}},"payload":{{"mark":"{}"}}}})", id,
                             person, mark);
    }
    if (keyed) ask.headers.emplace_back("Idempotency-Key", mark);
    return ask;
  }

  asio::awaitable<bool> insist(Ask ask) {
    for (int attempt = 0; attempt < 600; ++attempt) {
      const Answer answer = co_await client_.send(random_() % 2, ask);
      if (answer.outcome == Answer::Outcome::answered) {
        if (answer.status == 200 || answer.status == 201) co_return true;
        const bool wait =
            answer.status == 503 || answer.body.contains("\"idempotency-in-progress\"");
        if (!wait) {
          ++tally_.others[std::format("{} {}", answer.status,
                                      member_of(answer.body, "code").value_or(""))];
          co_return false;
        }
        ++tally_.unavailable;
      }
      co_await runtime::sleep_for(20ms);
    }
    ++tally_.stuck;
    co_return false;
  }

  PairClient client_;
  std::size_t number_;
  std::mt19937_64 random_;
  RetryTally& tally_;
  std::size_t count_ = 0;
  std::vector<Ask> kept_;
};

asio::awaitable<void> define(PairClient& client, RetryTally& tally) {
  const Answer made = co_await client.send(
      0, {.method = "POST", .path = "/custom-integrations/", .body = R"({"name":"Retries"})"});
  const std::string id = member_of(made.body, "id").value_or("");
  const Answer type = co_await client.send(
      0, {.method = "POST",
          .path = std::format("/custom-integrations/{}/custom-event-types/", id),
          .body = R"({"name":"Ring","direction":"receive","alias":"ring","fields":[]})"});
  if (type.status != 201) ++tally.others[std::format("define: {} {}", type.status, type.body)];
}

struct RetryFigures {
  std::int64_t purchases = 0;
  std::int64_t events = 0;
  std::int64_t twice = 0;
  std::int64_t wrong_totals = 0;
};

RetryFigures look(pg::Script& database) {
  const auto number = [&](const std::string& query) {
    return database.query("SELECT " + query + " AS n")[0].integer("n");
  };
  RetryFigures figures;
  figures.purchases = number("(SELECT count(*) FROM purchase)");
  figures.events =
      number("(SELECT count(DISTINCT payload->>'mark') FROM event WHERE kind = 'custom.ring')");
  figures.twice =
      number("(SELECT count(*) FROM event WHERE kind = 'custom.ring')") - figures.events +
      number("(SELECT count(*) FROM event WHERE kind = 'purchase.created')") - figures.purchases;
  figures.wrong_totals = number(
      "(SELECT count(*) FROM contact c WHERE coalesce((c.purchases->>'count')::bigint, 0) <>"
      " (SELECT count(*) FROM purchase p WHERE p.contact_id = c.contact_id))");
  return figures;
}

}  // namespace

Verdict retries(const Setting& setting) {
  Installation installation{setting.checkout, setting.binary};
  const std::string key = installation.create_unlimited_key("Retries");
  ProcessPair pair{installation};
  RetryTally tally;
  asio::io_context loop;
  PairClient definer{loop, pair, key};
  runtime::run_to_end(loop, define(definer, tally));
  std::deque<Sender> senders;
  std::atomic<bool> stop = false;
  std::atomic<std::size_t> sending = kClients;
  loop.restart();
  for (std::size_t i = 0; i < kClients; ++i) {
    senders.emplace_back(loop, pair, key, i, setting.seed, tally);
    asio::co_spawn(loop, senders.back().run(stop), [&](std::exception_ptr error) {
      --sending;
      if (error) std::rethrow_exception(error);
    });
  }
  std::jthread thread{[&] { loop.run(); }};
  std::mt19937_64 random{setting.seed};
  const int kills = setting.quick ? 3 : 40;
  for (int i = 0; i < kills; ++i) {
    progress(std::format("retries: kill {}/{}, {} acknowledged", i + 1, kills,
                         tally.acknowledged.load()));
    std::this_thread::sleep_for(setting.quick ? 700ms : 3000ms);
    pair.kill_and_restart(random() % 2);
  }
  std::this_thread::sleep_for(1s);
  stop = true;
  for (const auto until = Steady::now() + 60s; sending > 0 && Steady::now() < until;)
    std::this_thread::sleep_for(5ms);
  tally.stuck += static_cast<std::int64_t>(sending.load());
  loop.stop();
  thread.join();
  progress("retries: comparing");
  pg::Script database{installation.admin_url()};
  const RetryFigures found = look(database);
  const std::int64_t lost = tally.purchases + tally.events - found.purchases - found.events;
  const bool holds = lost == 0 && found.twice == 0 && found.wrong_totals == 0 &&
                     tally.others.empty() && tally.stuck == 0 && pair.cuts().by_kill > 0 &&
                     tally.acknowledged > 0;
  std::string figures = std::format(
      "{} clients, 2 processes, {} × kill -9: {} purchases and {} events acknowledged, {} unneeded "
      "retries, {} requests cut: {} lost, {} doubled, {} wrong totals, {} stuck, {} kinds of "
      "unexpected response",
      kClients, kills, tally.purchases, tally.events, tally.blind, pair.cuts().by_kill, lost,
      found.twice, found.wrong_totals, tally.stuck, tally.others.size());
  for (const auto& [what, times] : tally.others) figures += std::format("; {} × {}", times, what);
  if (!holds) figures += std::format("; logs in {}", installation.keep_logs().string());
  return {.holds = holds, .figures = std::move(figures)};
}

}  // namespace shopbell::proofs
