// Events go from the log to Kafka while the publishing processes are killed and the brokers go down
// in turn. A consumer that skips duplicates gets every event of the log, those of a contact in
// order.
#include <algorithm>
#include <format>
#include <random>
#include <thread>
#include <unordered_map>
#include <unordered_set>

#include "base/limits.h"
#include "json/document.h"
#include "kafka/consumer.h"
#include "runtime/wait.h"
#include "tests/proofs/actors/contact_ledger.h"
#include "tests/proofs/actors/fleet.h"
#include "tests/proofs/actors/log_load.h"
#include "tests/proofs/actors/log_sink.h"
#include "tests/proofs/actors/proof.h"

namespace shopbell::proofs {

namespace {

using namespace std::chrono_literals;
using runtime::Steady;
using testing::Installation;

constexpr const char* kTopic = "shopbell-events";

struct Shape {
  LogPlan plan;
  int brokers = 3;
  int kills = 20;        // number of kills of a process
  int broker_turns = 2;  // how often each broker goes down
};

Shape shape_of(const Setting& setting) {
  if (setting.quick)
    return {.plan = {.events = 5'000,
                     .contacts = 200,
                     .hot = 5,
                     .writers = 16,
                     .lines = 20,
                     .per_second = 500},
            .brokers = 1,
            .kills = 2,
            .broker_turns = 1};
  return {.plan = {.events = 300'000,
                   .contacts = 5'000,
                   .hot = 20,
                   .writers = 32,
                   .lines = 25,
                   .per_second = 1'500}};
}

// The result of reading the topic from beginning to end.
struct Heard {
  std::vector<SinkRow> rows;  // rows by contact; each event at its first occurrence
  std::int64_t messages = 0;
  std::int64_t repeated = 0;
  std::int64_t strayed = 0;  // messages in another partition than their contact's others
};

class Listener {
 public:
  explicit Listener(const std::string& brokers)
      : consumer_{loop_, {.brokers = {brokers}}, kTopic} {}

  Heard listen() {
    std::vector<kafka::Place> places;
    for (std::int32_t i = 0; i < limits::kStreamPartitions; ++i)
      places.push_back({.partition = i, .offset = {}});
    consumer_.assign(places);
    // Reading ends after five seconds without a message.
    for (auto quiet_since = Steady::now(); Steady::now() < quiet_since + 5s;) {
      const auto messages = runtime::run_to_end(loop_, consumer_.next(10'000, 500ms));
      for (const auto& message : messages) take(message);
      if (!messages.empty()) quiet_since = Steady::now();
    }
    for (auto& [contact, person] : people_)
      std::ranges::move(person.rows, std::back_inserter(heard_.rows));
    return std::move(heard_);
  }

 private:
  struct Person {
    std::int32_t partition = 0;
    std::vector<SinkRow> rows;
  };

  void take(const kafka::Message& message) {
    ++heard_.messages;
    const auto document = json::Document::parse(message.value);
    if (!document) throw std::runtime_error{"a message is not JSON: " + message.value};
    const json::Value root = document->root();
    SinkRow row{.event = Uuid::parse(root.member("id")->text()).value(),
                .kind = std::string{root.member("kind")->text()},
                .contact = message.key,
                .contact_seq = {}};
    if (!known_.insert(row.event.to_string()).second) {
      ++heard_.repeated;
      return;
    }
    Person& person = people_[row.contact];
    if (person.rows.empty()) person.partition = message.partition;
    if (!row.contact.empty() && person.partition != message.partition) ++heard_.strayed;
    row.sequence = std::ssize(person.rows) + 1;
    person.rows.push_back(std::move(row));
  }

  boost::asio::io_context loop_{1};
  kafka::Consumer consumer_;
  std::unordered_set<std::string> known_;
  std::unordered_map<std::string, Person> people_;
  Heard heard_;
};

// Waits until every lane of the stream has read the whole log; returns the seconds it took.
double await_stream(const Installation& installation) {
  const auto since = Steady::now();
  std::this_thread::sleep_for(1s);  // within this time a tick covers the last events
  pg::Script database{installation.admin_url()};
  while (Steady::now() < since + 120s &&
         !database
              .query("SELECT coalesce(bool_and(tick = (SELECT max(tick) FROM log_tick)), false) AS "
                     "done FROM log_position WHERE reader = 'stream'")[0]
              .boolean("done"))
    std::this_thread::sleep_for(100ms);
  return std::chrono::duration<double>(Steady::now() - since).count();
}

// Causes all failures, spread over the events.
struct FaultInjector {
  const Shape& shape;
  Installation& installation;
  Fleet& fleet;
  LogLoad& load;
  std::mt19937_64 random;
  int killed = 0;
  int brokers_down = 0;

  void run() {
    const int broker_faults = shape.brokers * shape.broker_turns;
    const int all = shape.kills + broker_faults;
    for (int i = 0, down = 0; i < all; ++i) {
      await_share((i + 0.5) / all);
      progress(std::format("stream: fault {}/{}, {} events acknowledged", i + 1, all,
                           load.acknowledged.load()));
      // Spreads the broker failures evenly among the others.
      if ((i + 1) * broker_faults / all > down) {
        take_down(down++ % shape.brokers + 1);
      } else {
        kill(random() % fleet.size());
      }
    }
    await_share(1);
  }

  void await_share(double share) const {
    const auto wanted = static_cast<std::int64_t>(static_cast<double>(shape.plan.events) * share);
    const auto until = Steady::now() + 15min;
    while (load.acknowledged < wanted && Steady::now() < until) std::this_thread::sleep_for(20ms);
  }

  void kill(std::size_t which) {
    fleet.kill(which);
    fleet.start(which);
    ++killed;
  }

  void take_down(int broker) {
    installation.kill_kafka(broker);
    std::this_thread::sleep_for(3s);
    installation.resume_kafka(broker);
    ++brokers_down;
  }
};

// Adds the contact sequences from the database; returns the number of events without a message.
std::int64_t look_up(pg::Script& database, Heard& heard, std::int64_t start_id) {
  const pg::Result found = database.query(std::format(
      "SELECT uid, contact_seq FROM event WHERE id > {} AND kind LIKE '%.%'", start_id));
  std::unordered_map<std::string, std::optional<std::int64_t>> events;
  for (std::size_t i = 0; i < found.size(); ++i)
    events.emplace(found[i].text("uid"), found[i].maybe_integer("contact_seq"));
  for (auto& row : heard.rows) {
    const auto event = events.find(row.event.to_string());
    if (event == events.end()) continue;
    row.contact_seq = event->second;
    events.erase(event);
  }
  return std::ssize(events);
}

}  // namespace

Verdict stream(const Setting& setting) {
  const Shape shape = shape_of(setting);
  Installation installation{setting.checkout, setting.binary};
  installation.use_kafka(shape.brokers);
  const std::string key = installation.create_unlimited_key("Stream");
  Fleet fleet{installation, 2, {{"SHOPBELL_KAFKA_STREAM_TOPIC", kTopic}}};
  progress("stream: making contacts");
  define_event_types(fleet, key, {"ring"});
  create_contacts(fleet, key, shape.plan.contacts);
  await_stream(installation);
  const std::int64_t start_id = pg::Script{installation.admin_url()}
                                    .query("SELECT coalesce(max(id), 0) AS id FROM event")[0]
                                    .integer("id");
  LogLoad load{fleet, key, installation.admin_url(), shape.plan, setting.seed};
  FaultInjector injector{.shape = shape,
                         .installation = installation,
                         .fleet = fleet,
                         .load = load,
                         .random = std::mt19937_64{setting.seed}};
  injector.run();
  load.stop();
  progress("stream: draining the log");
  const double caught_up = await_stream(installation);

  progress("stream: reading the topic");
  Heard heard = Listener{installation.brokers()}.listen();
  pg::Script database{installation.admin_url()};
  const std::int64_t missing = look_up(database, heard, start_id);
  // Remove events that were written before the load, because its ledger does not contain them.
  std::erase_if(heard.rows, [](const SinkRow& row) {
    return row.kind == "contact.updated" && !row.contact_seq;
  });
  const SinkFigures sink = compare_rows(load.ledger(), load.changes, heard.rows);
  const bool holds = sink.exact() && missing == 0 && heard.strayed == 0 && load.others.empty() &&
                     load.stuck == 0 && load.acknowledged >= shape.plan.events && fleet.alive();
  std::string figures = std::format(
      "2 processes, {} brokers, {} events and {} changes of {} contacts; {} × a process killed, {} "
      "× a broker: {} messages, {} of them duplicates; of the log {} events missing, {} lost of "
      "those acknowledged, {} inversions, {} changes out of order, {} in another partition; all "
      "published {:.1f} s after the end",
      shape.brokers, load.acknowledged.load(), load.changes.load(), shape.plan.contacts,
      injector.killed, injector.brokers_down, heard.messages, heard.repeated, missing, sink.lost,
      sink.inversions, sink.disorder, heard.strayed, caught_up);
  for (const auto& [what, times] : load.others) figures += std::format("; {} × {}", times, what);
  for (const auto& example : sink.examples) figures += "; " + example;
  if (!holds) figures += std::format("; logs in {}", installation.keep_logs().string());
  return {.holds = holds, .figures = std::move(figures)};
}

}  // namespace shopbell::proofs
