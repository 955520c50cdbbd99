// Many clients repeatedly send the same request with the same Idempotency-Key to two processes,
// which are killed meanwhile. Each round creates one API key, changes it once and revokes it once,
// however many clients asked.
#include <csignal>
#include <format>
#include <random>
#include <set>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "pg/script.h"
#include "runtime/wait.h"
#include "testing/http_client.h"
#include "testing/installation.h"
#include "tests/proofs/actors/proof.h"

namespace shopbell::proofs {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using testing::Answer;
using testing::Ask;
using testing::HttpClient;
using testing::Installation;

constexpr std::size_t kClients = 32;

struct Tally {
  int firsts = 0;
  int replays = 0;
  int in_progress = 0;
  int cut = 0;
  std::vector<std::string> wrong;
};

// Two processes and the racing clients, half of them on each.
class Race {
 public:
  Race(const Setting& setting, Installation& installation, std::string key)
      : installation_{installation}, key_{std::move(key)}, random_{setting.seed} {
    for (std::size_t i = 0; i < 2; ++i) start(i);
  }

  // All clients send `ask`. Returns their common success response; nullopt if a kill cut them all.
  std::optional<Answer> run(const Ask& ask, int expected, bool kill) {
    std::vector<Answer> answers(kClients);
    std::size_t left = kClients;
    asio::io_context& loop = loop_;
    loop.restart();
    for (std::size_t i = 0; i < kClients; ++i) {
      asio::co_spawn(loop, send(*clients_[i], ask, answers[i]),
                     [&](std::exception_ptr) { --left; });
    }
    std::jthread killer;
    if (kill) killer = kill_one();
    loop.run();
    if (kill) {
      killer.join();
      start(killed_);
    }
    return judge(answers, ask, expected);
  }

  Answer ask_once(const Ask& ask) {
    Answer answer;
    loop_.restart();
    asio::co_spawn(loop_, send(*clients_[0], ask, answer), asio::detached);
    loop_.run();
    return answer;
  }

  Tally tally;

 private:
  static asio::awaitable<void> send(HttpClient& client, Ask ask, Answer& answer) {
    answer = co_await client.send(std::move(ask));
  }

  void start(std::size_t process) {
    services_[process] = installation_.start_service();
    clients_.resize(kClients);
    for (std::size_t i = process; i < kClients; i += 2) {
      clients_[i] = std::make_unique<HttpClient>(loop_, services_[process].host,
                                                 services_[process].port, key_);
    }
  }

  std::jthread kill_one() {
    killed_ = random_() % 2;
    const auto after = std::chrono::microseconds{random_() % 15'000};
    return std::jthread{[this, after] {
      std::this_thread::sleep_for(after);
      services_[killed_].process->signal(SIGKILL);
      services_[killed_].process->wait(10s);
    }};
  }

  std::optional<Answer> judge(const std::vector<Answer>& answers, const Ask& ask, int expected) {
    std::optional<Answer> success;
    int firsts = 0;
    for (const auto& answer : answers) {
      if (answer.outcome != Answer::Outcome::answered) {
        ++tally.cut;
        continue;
      }
      const bool replayed = answer.header("Idempotent-Replayed") == "true";
      if (answer.status == 409 && answer.body.contains("\"idempotency-in-progress\"")) {
        ++tally.in_progress;
      } else if (answer.status == expected) {
        replayed ? ++tally.replays : ++firsts;
        if (success && success->body != answer.body)
          wrong(std::format("two different responses: {} and {}", success->body, answer.body));
        success = answer;
      } else {
        wrong(std::format("{} {}: {} {}", ask.method, ask.path, answer.status, answer.body));
      }
    }
    tally.firsts += firsts;
    if (firsts > 1) wrong(std::format("{} responses were not replays", firsts));
    return success;
  }

  void wrong(std::string what) {
    if (tally.wrong.size() < 5) tally.wrong.push_back(std::move(what));
  }

  Installation& installation_;
  std::string key_;
  std::mt19937_64 random_;
  asio::io_context loop_;
  std::array<Installation::Service, 2> services_;
  std::vector<std::unique_ptr<HttpClient>> clients_;
  std::size_t killed_ = 0;
};

std::string member(const std::string& body, const std::string& name) {
  const auto at = body.find(std::format("\"{}\":\"", name));
  if (at == std::string::npos) return "";
  const auto start = at + name.size() + 4;
  return body.substr(start, body.find('"', start) - start);
}

// Runs one step of a round as a race, and retries it until it is answered.
Answer insist(Race& race, const Ask& ask, int expected, bool kill) {
  for (int attempt = 0; attempt < 50; ++attempt) {
    if (const auto answer = race.run(ask, expected, kill && attempt == 0)) return *answer;
    std::this_thread::sleep_for(20ms);
  }
  race.tally.wrong.push_back(std::format("{} {} never succeeded", ask.method, ask.path));
  return {};
}

void run_round(Race& race, int round, std::uint64_t seed, int kill_step) {
  const auto keyed = [&](std::string step) {
    return std::vector<std::pair<std::string, std::string>>{
        {"Idempotency-Key", std::format("{}-{}-{}", seed, round, step)}};
  };
  const std::string name = std::format("round {}", round);
  const Answer made =
      insist(race,
             {.method = "POST",
              .path = "/manage/keys/",
              .body = std::format(R"({{"name":"{}","scopes":["store:read"]}})", name),
              .headers = keyed("create")},
             201, kill_step == 0);
  const std::string path = "/manage/keys/" + member(made.body, "id");
  insist(race,
         {.method = "PATCH",
          .path = path,
          .body = R"({"name":"changed"})",
          .headers = keyed("change")},
         200, kill_step == 1);
  insist(race, {.method = "DELETE", .path = path, .headers = keyed("revoke")}, 204, kill_step == 2);
}

}  // namespace

Verdict idempotency(const Setting& setting) {
  const int rounds = setting.quick ? 10 : 1000;
  const int kills = setting.quick ? 2 : 20;
  Installation installation{setting.checkout, setting.binary};
  Race race{setting, installation, installation.create_unlimited_key("Idempotency")};
  int killed = 0;
  for (int round = 0; round < rounds; ++round) {
    progress(std::format("idempotency: round {}/{}, {} kills, {} replays", round + 1, rounds,
                         killed, race.tally.replays));
    const bool kill = round % (rounds / kills) == rounds / kills / 2;
    run_round(race, round, setting.seed, kill ? killed++ % 3 : -1);
  }
  // The database must hold one key per round, changed once (version 2) and revoked once (version
  // 3).
  pg::Script database{installation.admin_url()};
  const auto count = [&](const std::string& condition) {
    return database
        .query("SELECT count(*) AS n FROM api_key WHERE name <> 'proof' AND " + condition)[0]
        .integer("n");
  };
  const auto made = count("true");
  const auto exact = count("name = 'changed' AND version = 3 AND revoked_at IS NOT NULL");
  const Tally& tally = race.tally;
  const bool holds = tally.wrong.empty() && made == rounds && exact == rounds && killed == kills;
  std::string figures = std::format(
      "{} rounds of 3 raced writes, {} clients, 2 processes, {} × kill -9: {} effects of {}, each "
      "once; {} first answers, {} replays, {} × 409 in progress, {} cut, {} wrong",
      rounds, kClients, killed, exact, made, tally.firsts, tally.replays, tally.in_progress,
      tally.cut, tally.wrong.size());
  for (const auto& wrong : tally.wrong) figures += "; " + wrong;
  if (!holds) figures += std::format("; logs in {}", installation.keep_logs().string());
  return {.holds = holds, .figures = std::move(figures)};
}

}  // namespace shopbell::proofs
