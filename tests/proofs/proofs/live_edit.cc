// People wait at three nodes of a workflow while new versions of it are published, which rename,
// remove and add nodes, with and without a map. Others join and go on meanwhile, and a process is
// killed. Every run must be where the publication puts it, and every number must equal a recount.
#include "tests/proofs/proofs/live_edit.h"

#include <array>
#include <format>
#include <optional>
#include <random>
#include <set>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/wait.h"
#include "tests/proofs/actors/log_load.h"
#include "tests/proofs/actors/proof.h"
#include "tests/proofs/actors/travellers.h"

namespace shopbell::proofs {

namespace {

using namespace std::chrono_literals;
using runtime::Steady;
using testing::Installation;
using Map = std::map<std::string, std::string>;

constexpr std::string_view kFields =
    R"([{"id":"key","name":"Key","type":"text"},{"id":"place","name":"Place","type":"text"}])";

struct Shape {
  std::size_t people = 0;
  std::chrono::milliseconds busy;  // how long others join and go on around a publication
  int kills = 0;                   // for each publication
  bool kills_always = false;       // false: only at the second publication
  std::chrono::seconds patience;
};

Shape shape_of(const Setting& setting) {
  if (setting.quick)
    return {.people = 300, .busy = 500ms, .kills = 1, .kills_always = false, .patience = 30s};
  return {.people = 10'000, .busy = 10s, .kills = 2, .kills_always = true, .patience = 120s};
}

// A version: where people of each place wait, and the nodes after the wait.
struct Version {
  std::array<std::string, kPlaces.size()> waits;
  std::vector<std::string> after;
};
const std::array<Version, 4> kVersions{
    Version{{"cart", "post", "call"}, {"thanks"}},
    Version{{"basket", "call", "call"}, {"mark", "thanks"}},           // renames, removes, adds
    Version{{"basket", "desk", "desk"}, {"pause", "mark", "thanks"}},  // renames, adds
    Version{{"desk", "desk", "desk"}, {"pause", "thanks"}}};           // removes

struct Publication {
  std::string what;
  std::optional<std::size_t> version;  // nullopt: only moves runs to the active one
  Map nodes;
};
const std::vector<Publication> kPublications{
    {"without a map", 2, {}},
    {"a map alone", std::nullopt, {{"cart", "basket"}}},
    {"with a map of a renamed node", 3, {{"call", "desk"}}},
    {"with a map of all but a drained node", 4, {{"basket", "desk"}, {"desk", "desk"}}}};

std::string node_json(const std::string& id, const std::string& next) {
  const std::string end = next.empty() ? "" : std::format(R"(,"next":"{}")", next);
  if (id == "thanks")
    return R"({"id":"thanks","type":"email","template":"thanks","class":"transactional"})";
  if (id == "mark")
    return std::format(R"({{"id":"mark","type":"event","event":"custom.marked","payload":)"
                       R"({{"key":{{"ref":"run.key"}}}}{}}})",
                       end);
  return std::format(R"({{"id":"{}","type":"wait","for":"PT1S"{}}})", id, end);
}

std::string wait_json(const std::string& id, const std::string& next) {
  return std::format(
      R"({{"id":"{}","type":"waitForEvent","timeout":"P30D","onTimeout":"{}","events":)"
      R"([{{"event":"custom.go","next":"{}","where":)"
      R"({{"value":"event.data.key","op":"eq","to":{{"ref":"run.key"}}}}}}]}})",
      id, next, next);
}

std::string definition_of(const Version& version) {
  std::string cases;
  for (std::size_t i = 0; i + 1 < kPlaces.size(); ++i)
    cases += std::format(
        R"({}{{"when":{{"value":"trigger.data.place","op":"eq","to":"{}"}},"next":"{}"}})",
        i == 0 ? "" : ",", kPlaces.at(i), version.waits.at(i));
  std::string nodes = std::format(R"({{"id":"sort","type":"branch","cases":[{}],"else":"{}"}})",
                                  cases, version.waits.back());
  const std::set<std::string> waits{version.waits.begin(), version.waits.end()};
  for (const auto& wait : waits) nodes += "," + wait_json(wait, version.after[0]);
  for (std::size_t i = 0; i < version.after.size(); ++i)
    nodes +=
        "," + node_json(version.after[i], i + 1 < version.after.size() ? version.after[i + 1] : "");
  return std::format(R"({{"alias":"journey","name":"Journey","trigger":{{"event":"custom.join",)"
                     R"("key":"event.data.key"}},"reentry":{{"mode":"perKey"}},"nodes":[{}]}})",
                     nodes);
}

class LiveEdit {
 public:
  LiveEdit(const Setting& setting, const Shape& shape)
      : shape_{shape},
        random_{setting.seed},
        installation_{setting.checkout, setting.binary},
        fleet_{installation_, 2},
        shop_{fleet_, installation_.create_unlimited_test_key("Edit")},
        database_{installation_.admin_url()},
        travellers_{shop_, shape.people * 6 / 5, setting.seed} {
    define_event_types(fleet_, shop_.key(), {"join", "go", "marked"}, std::string{kFields});
    shop_.create_templates({"thanks"});
    create_subscribers(fleet_, shop_.key(), shape.people * 6 / 5);
    workflow_ = shop_.publish(definition_of(kVersions[0]));
  }

  void run();
  void expect(bool right, const std::string& what) {
    if (!right) ++wrong_[what.substr(0, 400)];
  }
  Verdict verdict() const;

 private:
  void edit(const Publication& publication, bool kills);
  void judge(const Publication& publication, const FoundRuns& before, const FoundRuns& after);
  void judge_journeys(const FoundRuns& runs);
  void judge_ends(const FoundRuns& runs);
  void compare_numbers(const std::string& when);
  void compare_snapshot();

  const Shape& shape_;
  std::mt19937_64 random_;
  Installation installation_;
  Fleet fleet_;
  WorkflowShop shop_;
  pg::Script database_;
  Travellers travellers_;
  std::string workflow_;
  std::int64_t active_ = 1;
  int killed_ = 0;
  int snapshots_ = 0;
  std::int64_t moved_ = 0;
  std::int64_t stayed_ = 0;
  std::map<std::string, int> wrong_;
};

void LiveEdit::run() {
  travellers_.join_all(shape_.people);
  expect(await_rest(database_, shape_.patience), "the first runs do not come to rest");
  compare_numbers("before");
  for (std::size_t i = 0; i < kPublications.size(); ++i) {
    progress(std::format("live-edit: {}", kPublications[i].what));
    edit(kPublications[i], shape_.kills_always || i == 1);
  }
  travellers_.send_all_on();
  expect(await_rest(database_, shape_.patience), "the last runs do not come to rest");
  compare_numbers("at the end");
  judge_ends(find_runs(database_));
}

void LiveEdit::edit(const Publication& publication, bool kills) {
  const FoundRuns before = find_runs(database_);
  travellers_.start();
  std::this_thread::sleep_for(shape_.busy / 4);
  if (publication.version) {
    shop_.save_draft(workflow_, definition_of(kVersions.at(*publication.version - 1)));
    active_ = static_cast<std::int64_t>(*publication.version);
  }
  shop_.publish(workflow_, publication.nodes);
  const auto until = Steady::now() + shape_.busy;
  for (int i = 0; kills && i < shape_.kills; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds{random_() % 600});
    const std::size_t which = random_() % fleet_.size();
    fleet_.kill(which);
    compare_snapshot();
    fleet_.start(which);
    ++killed_;
  }
  while (Steady::now() < until) compare_snapshot();
  travellers_.stop();
  expect(await_rest(database_, shape_.patience),
         std::format("{}: the runs do not come to rest", publication.what));
  compare_numbers(publication.what);
  judge(publication, before, find_runs(database_));
}

// A run that was not told to go stays where it is, unless its node is in the map.
void LiveEdit::judge(const Publication& publication, const FoundRuns& before,
                     const FoundRuns& after) {
  for (const auto& [id, run] : before) {
    const auto now = after.find(id);
    if (now == after.end()) {
      expect(false, std::format("{}: a run is lost", publication.what));
      continue;
    }
    if (run.state == "ended") {
      expect(now->second == run, std::format("{}: an ended run has changed", publication.what));
      continue;
    }
    if (travellers_.journeys().at(run.key).is_told_to_go) continue;  // see judge_journeys
    const auto target = publication.nodes.find(run.node);
    const bool moves = target != publication.nodes.end() && run.version < active_;
    FoundRun wanted = run;
    if (moves) {
      wanted.version = active_;
      wanted.node = target->second;
    }
    expect(now->second == wanted,
           std::format("{}: a run of version {} at {} is at {} of version {}, {}", publication.what,
                       run.version, run.node, now->second.node, now->second.version,
                       now->second.state));
    ++(moves ? moved_ : stayed_);
  }
  judge_journeys(after);
}

// Every journey has one run, which waits until it is told to go and ends then.
void LiveEdit::judge_journeys(const FoundRuns& runs) {
  std::map<std::string, int> found;
  for (const auto& [id, run] : runs) {
    ++found[run.key];
    expect(!run.is_there_twice, "a run is open and ended");
    const auto journey = travellers_.journeys().find(run.key);
    expect(journey != travellers_.journeys().end(), "a run of an unknown key");
    if (journey == travellers_.journeys().end()) continue;
    const std::string wanted = journey->second.is_told_to_go ? "ended" : "open";
    expect(run.state == wanted, std::format("a run at {} of version {} is {} instead of {}",
                                            run.node, run.version, run.state, wanted));
  }
  for (const auto& [key, journey] : travellers_.journeys()) {
    const auto times = found.find(key);
    expect(times != found.end(), "a person was lost: no run");
    if (times != found.end()) expect(times->second == 1, "a person runs again");
  }
}

// Everybody has reached each node at most once, has got one message, and has passed the nodes of
// the version on which the run ended.
void LiveEdit::judge_ends(const FoundRuns& runs) {
  judge_journeys(runs);
  for (const auto& [id, run] : runs)
    expect(run.state == "ended" && run.node == "thanks", "a run ended elsewhere: " + run.node);
  const auto none = [&](const std::string& from, const std::string& what) {
    const std::int64_t n = database_.query("SELECT count(*) AS n FROM " + from)[0].integer("n");
    expect(n == 0, std::format("{}: {}", what, n));
  };
  none("run_history WHERE why <> 'completed'", "runs that did not complete");
  none(
      "(SELECT h.run_id FROM run_history h, regexp_split_to_table(h.trail, E'\\n') line "
      "WHERE split_part(line, E'\\t', 2) = '' AND line <> '' "
      "GROUP BY h.run_id, split_part(line, E'\\t', 1) HAVING count(*) > 1) again",
      "runs that reached a node twice");
  none(
      "run_history h WHERE (SELECT count(*) FROM message m WHERE m.account_id = h.account_id AND "
      "m.contact_id = h.contact_id AND m.run_id = h.run_id AND m.state = 'sent') <> 1",
      "runs without exactly one message");
  none(
      "run_history h LEFT JOIN (SELECT payload->>'key' AS key, count(*) AS n FROM event "
      "WHERE kind = 'custom.marked' GROUP BY 1) e USING (key) "
      "WHERE coalesce(e.n, 0) <> CASE WHEN h.version IN (2, 3) THEN 1 ELSE 0 END",
      "runs that passed the nodes of another version");
  none("log_parked", "parked events");
}

// Compares the numbers that are stored, and those that the API shows, with a recount.
void LiveEdit::compare_numbers(const std::string& when) {
  const Numbers wanted = recount(database_);
  const std::string stored = difference(wanted, stored_numbers(database_));
  expect(stored.empty(), std::format("stored numbers {}: {}", when, stored));
  const std::string shown = difference(wanted, shown_numbers(shop_, workflow_));
  expect(shown.empty(), std::format("shown numbers {}: {}", when, shown));
}

// Compares the numbers while events arrive, in one snapshot.
void LiveEdit::compare_snapshot() {
  database_.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  const std::string found = difference(recount(database_), stored_numbers(database_));
  database_.run("COMMIT");
  expect(found.empty(), std::format("numbers meanwhile: {}", found));
  ++snapshots_;
  std::this_thread::sleep_for(50ms);
}

Verdict LiveEdit::verdict() const {
  std::set<std::size_t> people;
  for (const auto& [key, journey] : travellers_.journeys()) people.insert(journey.contact);
  // A run in which nobody moved, or no process was killed, proves nothing.
  const bool failures_hit = killed_ > 0 && moved_ > 0 && stayed_ > 0 && snapshots_ > 0;
  Verdict verdict{.holds = wrong_.empty() && failures_hit};
  verdict.figures = std::format(
      "2 processes, {} publications, {} × kill -9, {} people with {} runs, {} events: {} runs "
      "moved by a map, {} stayed on their version, each ended once on its version; numbers equal "
      "a recount at {} snapshots under load and {} times at rest, {} kinds of error",
      kPublications.size(), killed_, people.size(), travellers_.journeys().size(),
      travellers_.events.load(), moved_, stayed_, snapshots_, kPublications.size() + 2,
      wrong_.size());
  std::size_t told = 0;
  for (const auto& [what, times] : wrong_)
    if (++told <= 8) verdict.figures += std::format("; {} × {}", times, what);
  if (!verdict.holds)
    verdict.figures += std::format("; logs in {}", installation_.keep_logs().string());
  return verdict;
}

}  // namespace

Verdict live_edit(const Setting& setting) {
  const Shape shape = shape_of(setting);
  LiveEdit edit{setting, shape};
  try {
    edit.run();
  } catch (const std::exception& error) {  // an unexpected response: the logs tell why
    edit.expect(false, error.what());
  }
  return edit.verdict();
}

}  // namespace shopbell::proofs
