// Clients send events with `Prefer: respond-async` over two processes: at full rate, in turn with
// direct ones, while PostgreSQL is stopped, and while processes and brokers are killed in turn. At
// the end every acknowledged event is in the table once. Events of one person that went through
// Kafka are in the order of sending. bench/intake measures the rates.
#include <algorithm>
#include <format>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

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

struct Size {
  std::size_t clients = 512;
  int brokers = 3;
  int rounds = 3;  // rounds in which each process and broker is killed in turn
  // Warm-up: new brokers need this time to reach their full speed.
  std::chrono::seconds warm{30};
  int turns = 5;                     // number of changes to direct events and back
  std::chrono::seconds turn{5};      // duration of direct events, and of queued ones
  std::chrono::seconds stopped{60};  // duration of PostgreSQL's outage
};

enum class Fate : char { unknown, written, queued };

std::string_view name_of(Fate fate) {
  return fate == Fate::written  ? "answered by the database"
         : fate == Fate::queued ? "queued"
                                : "not acknowledged";
}

// The clients' current mode and their counters; the clients share one thread.
struct Course {
  std::atomic<bool> async = false;
  std::atomic<bool> stop = false;
  std::atomic<std::int64_t> written = 0;
  std::atomic<std::int64_t> queued = 0;
  std::atomic<std::int64_t> working = 0;
  std::int64_t unavailable = 0;
  std::map<std::string, int> others;
};

// Sends one person's events in sequence. Every second event has its own id and is retried until
// acknowledged; an unacknowledged event without id may be in the table or not.
class EventSender {
 public:
  EventSender(asio::io_context& loop, ProcessPair& pair, const std::string& key, std::size_t number,
              Course& course)
      : client_{loop, pair, key}, number_{number}, course_{course} {}

  asio::awaitable<void> run() {
    ++course_.working;
    while (!course_.stop) {
      fates.push_back(Fate::unknown);
      const std::size_t count = fates.size() - 1;
      const bool named = count % 2 == 0;
      do {
        fates[count] = co_await tell(count, named);
        if (fates[count] == Fate::unknown) co_await runtime::sleep_for(50ms);
      } while (named && fates[count] == Fate::unknown && !course_.stop);
      if (fates[count] == Fate::written) ++course_.written;
      if (fates[count] == Fate::queued) ++course_.queued;
    }
    --course_.working;
  }

  std::vector<Fate> fates;  // result of each event, by its number

 private:
  asio::awaitable<Fate> tell(std::size_t count, bool named) {
    Ask ask{.method = "POST",
            .path = "/custom-events/alias/ring?createContact=true",
            .body = std::format(R"({{{}"contact":{{"email":"teller-{}@example.com"}},)"
                                R"("payload":{{"teller":{},"count":{}}}}})",
                                named ? std::format(R"("eventId":"{}-{}",)", number_, count) : "",
                                number_, number_, count)};
    if (course_.async) ask.headers.emplace_back("Prefer", "respond-async");
    const Answer answer = co_await client_.send((number_ + count) % 2, ask);
    if (answer.outcome != Answer::Outcome::answered) co_return Fate::unknown;
    if (answer.status == 202) co_return Fate::queued;
    if (answer.status == 200 || answer.status == 201) co_return Fate::written;
    if (answer.status == 503)
      ++course_.unavailable;
    else
      ++course_.others[std::format("{} {}", answer.status, answer.body.substr(0, 200))];
    co_return Fate::unknown;
  }

  PairClient client_;
  const std::size_t number_;
  Course& course_;
};

class Intake {
 public:
  Intake(const Setting& setting, const Size& size)
      : size_{size}, installation_{setting.checkout, setting.binary} {
    installation_.use_kafka(size_.brokers);
    key_ = installation_.create_unlimited_key("Intake");
    pair_ = std::make_unique<ProcessPair>(installation_);
    define();
    for (std::size_t i = 0; i < size_.clients; ++i)
      tellers_.push_back(std::make_unique<EventSender>(loop_, *pair_, key_, i, course_));
  }

  Verdict run() {
    for (auto& teller : tellers_) asio::co_spawn(loop_, teller->run(), asio::detached);
    std::jthread thread{[this] { loop_.run(); }};
    course_.async = true;
    std::this_thread::sleep_for(size_.warm);
    take_turns();
    installation_.crash_database();
    std::this_thread::sleep_for(1s);
    const double alone = rate("without PostgreSQL", size_.stopped);
    installation_.resume_database();
    for (int round = 0; round < size_.rounds; ++round) kill_in_turn();
    course_.stop = true;
    for (int i = 0; i < 1'200 && course_.working > 0; ++i) std::this_thread::sleep_for(50ms);
    expect(course_.working == 0, "clients hang");
    const auto drained = drain();
    compare();
    expect(course_.queued > 0, "no event went through Kafka");
    expect(alone > 0, "no event was accepted without PostgreSQL");
    for (const auto& [what, times] : course_.others) expect(false, what);
    loop_.stop();
    std::string figures = std::format(
        "{} clients, {} brokers: {:.0f} events/s accepted while PostgreSQL was stopped for {} s; "
        "{} "
        "processes and {} brokers killed; "
        "{} queued and {} written directly, {} × 503; all written {:.1f} s after the end; {} lost, "
        "{} doubled, {} out of order",
        size_.clients, size_.brokers, alone, size_.stopped.count(), killed_processes_,
        killed_brokers_, course_.queued.load(), course_.written.load(), course_.unavailable,
        drained, lost_, doubled_, inverted_);
    for (const auto& [what, times] : wrong_)
      figures += std::format("; WRONG, {} times: {}", times, what);
    for (const auto& example : examples_) figures += "; " + example;
    if (!wrong_.empty()) figures += std::format("; logs in {}", installation_.keep_logs().string());
    return {.holds = wrong_.empty(), .figures = std::move(figures)};
  }

 private:
  void expect(bool right, const std::string& what) {
    if (!right) ++wrong_[what.substr(0, 400)];
  }

  void example(const std::string& what) {
    if (examples_.size() < 8) examples_.push_back(what);
  }

  void define() {
    asio::io_context loop;
    PairClient client{loop, *pair_, key_};
    const auto send = [&](Ask ask) {
      return runtime::run_to_end(loop, client.send(0, std::move(ask)));
    };
    const Answer made =
        send({.method = "POST", .path = "/custom-integrations/", .body = R"({"name":"Intake"})"});
    const Answer type =
        send({.method = "POST",
              .path = std::format("/custom-integrations/{}/custom-event-types/",
                                  member_of(made.body, "id").value_or("")),
              .body = R"({"name":"Ring","direction":"receive","alias":"ring","fields":[)"
                      R"({"id":"teller","name":"EventSender","type":"integer"},)"
                      R"({"id":"count","name":"Count","type":"integer"}]})"});
    expect(type.status == 201, "define: " + type.body);
  }

  double rate(const std::string& what, std::chrono::seconds time) {
    progress("intake: " + what);
    const auto all = [&] { return course_.written + course_.queued; };
    const std::int64_t before = all();
    const auto began = Steady::now();
    std::this_thread::sleep_for(time);
    const double measured = static_cast<double>(all() - before) /
                            std::chrono::duration<double>(Steady::now() - began).count();
    progress(std::format("intake: {:.0f}/s {}", measured, what));
    return measured;
  }

  // Alternates queued and direct events.
  void take_turns() {
    for (int turn = 0; turn < size_.turns; ++turn) {
      course_.async = false;
      rate("answered by PostgreSQL", size_.turn);
      course_.async = true;
      rate("answered by Kafka", size_.turn);
    }
  }

  void kill_in_turn() {
    for (const std::size_t which : {0U, 1U}) {
      progress("intake: a process is killed");
      pair_->kill_and_restart(which);
      ++killed_processes_;
      std::this_thread::sleep_for(3s);
    }
    for (int node = 1; node <= size_.brokers; ++node) {
      progress(std::format("intake: broker {} is killed", node));
      installation_.kill_kafka(node);
      ++killed_brokers_;
      std::this_thread::sleep_for(5s);
      installation_.resume_kafka(node);
      std::this_thread::sleep_for(10s);
    }
  }

  // Waits until no more events are written; returns the seconds it took.
  double drain() {
    progress("intake: draining the queue");
    const auto began = Steady::now();
    auto changed = began;
    pg::Script database{installation_.admin_url()};
    std::int64_t written = -1;
    while (Steady::now() < changed + 15s) {
      const std::int64_t now =
          database
              .query("SELECT coalesce(sum(next_offset), 0)::bigint AS n FROM intake_position")[0]
              .integer("n");
      if (std::exchange(written, now) != now) changed = Steady::now();
      std::this_thread::sleep_for(250ms);
    }
    return std::chrono::duration<double>(changed - began).count();
  }

  void compare() {
    pg::Script database{installation_.admin_url()};
    const pg::Result found = database.query(
        "SELECT (payload->>'teller')::bigint AS teller, (payload->>'count')::bigint AS count, "
        "uid, received_at::text FROM event WHERE kind = 'custom.ring' ORDER BY id");
    std::vector<std::vector<int>> times(tellers_.size());
    std::vector<std::int64_t> last(tellers_.size(), -1);
    for (std::size_t i = 0; i < tellers_.size(); ++i) times[i].resize(tellers_[i]->fates.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto teller = static_cast<std::size_t>(found[i].integer("teller"));
      const auto count = static_cast<std::size_t>(found[i].integer("count"));
      if (times[teller][count]++ > 0) {
        ++doubled_;
        example(std::format("event {} of {}, {}, {}, is duplicated as {}, written {}", count,
                            teller, count % 2 == 0 ? "with an id" : "without an id",
                            name_of(tellers_[teller]->fates[count]), found[i].text("uid"),
                            found[i].text("received_at")));
      }
      if (tellers_[teller]->fates[count] != Fate::queued) continue;
      const auto number = static_cast<std::int64_t>(count);
      if (number < last[teller]) ++inverted_;
      last[teller] = number;
    }
    for (std::size_t i = 0; i < tellers_.size(); ++i)
      for (std::size_t j = 0; j < times[i].size(); ++j)
        if (tellers_[i]->fates[j] != Fate::unknown && times[i][j] == 0) ++lost_;
    expect(lost_ == 0, "acknowledged events are missing");
    expect(doubled_ == 0, "events are duplicated");
    expect(inverted_ == 0, "events of a person are out of order");
    const auto rejected =
        database.query("SELECT count(*) AS n FROM rejected_event WHERE code <> 'duplicate'")[0]
            .integer("n");
    expect(rejected == 0, std::format("{} events were rejected", rejected));
  }

  const Size size_;
  testing::Installation installation_;
  std::string key_;
  std::unique_ptr<ProcessPair> pair_;
  asio::io_context loop_{1};
  Course course_;
  std::vector<std::unique_ptr<EventSender>> tellers_;
  int killed_processes_ = 0;
  int killed_brokers_ = 0;
  std::int64_t lost_ = 0;
  std::int64_t doubled_ = 0;
  std::int64_t inverted_ = 0;
  std::map<std::string, int> wrong_;
  std::vector<std::string> examples_;
};

}  // namespace

Verdict intake(const Setting& setting) {
  const Size small{
      .clients = 32, .brokers = 1, .rounds = 1, .warm = 2s, .turns = 1, .turn = 2s, .stopped = 5s};
  return Intake{setting, setting.quick ? small : Size{}}.run();
}

}  // namespace shopbell::proofs
