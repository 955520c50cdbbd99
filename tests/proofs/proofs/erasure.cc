// Erases people who have unique strings in all their attributes, some under concurrent writes. Then
// searches every row, every log and the planner's statistics for these strings. Also checks data
// that must outlive a person, such as an unsubscription.
#include <algorithm>
#include <format>

#include "base/time.h"
#include "json/document.h"
#include "testing/process.h"
#include "tests/proofs/actors/client_group.h"
#include "tests/proofs/actors/portrait.h"
#include "tests/proofs/actors/scan.h"

namespace shopbell::proofs {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using testing::Answer;
using testing::Ask;
using testing::HttpClient;

enum class Other { none, merged_before, merged_meanwhile };

struct Person {
  Portrait card;
  Portrait other_card;
  Other other = Other::none;
  bool keyed = false;  // the contact is written with an Idempotency-Key
  bool unsubscribes = false;
  bool by_email = false;  // the contact is erased by email address
  bool raced = false;     // another client writes to the contact during the erasure
};

struct Neighbour {
  std::string path;
  std::string read;
};

struct Tally {
  int refused_late = 0;
  int raced = 0;
  int raced_taken = 0;
  int raced_refused = 0;
  int stayed_away = 0;
};

std::vector<std::pair<std::string, std::string>> key_header(const std::string& key) {
  if (key.empty()) return {};
  return {{"Idempotency-Key", key}};
}

class Forgetting {
 public:
  Forgetting(ClientGroup& clients, std::size_t people) : clients_{clients}, people_(people) {
    Portraits portraits{clients.random(), needles_};
    for (std::size_t i = 0; i < people; ++i) {
      Person& person = people_[i];
      person.other = std::array{Other::none, Other::merged_before, Other::none,
                                Other::merged_meanwhile}[i % 4];
      person.keyed = i % 2 == 0;
      person.unsubscribes = i % 3 == 0;
      person.by_email = clients.random()() % 2 == 0;
      person.raced = i % 5 < 2;
      person.card = portraits.draw();
      if (person.other != Other::none) person.other_card = portraits.draw();
    }
    for (std::size_t i = 0; i < people / 2; ++i)
      neighbours_.push_back({.path = email_path(std::format("neighbour-{}@stays.example", i))});
  }

  void define_fields() {
    for (const std::string field :
         {R"("nick","name":"Nick","type":"text","indexed":true)",
          R"("note","name":"Note","type":"text")", R"("second","name":"Second","type":"email")",
          R"("site","name":"Site","type":"url","indexed":true)"})
      run_one("fields", {.method = "POST",
                         .path = "/contact-fields/",
                         .body = std::format(R"({{"id":{}}})", field)});
  }

  void write_everybody() {
    std::vector<Job> births;
    std::vector<Job> lives;
    for (Person& person : people_) {
      for (Portrait* card : {&person.card, &person.other_card}) {
        if (card->email.empty()) continue;
        // Each contact is created twice, once on each process: one succeeds, the other gets a
        // unique violation.
        for (int i = 0; i < 2; ++i)
          births.emplace_back([&, card, i](HttpClient& client) {
            return make(client, *card, person.keyed && i == 0);
          });
      }
      lives.emplace_back([&](HttpClient& client) { return live(client, person); });
    }
    for (Neighbour& neighbour : neighbours_)
      births.emplace_back([&](HttpClient& client) { return settle(client, neighbour); });
    clients_.run("erasure: making", std::move(births));
    clients_.run("erasure: living", std::move(lives));
  }

  void erase_everybody() {
    std::vector<Job> jobs;
    for (Person& person : people_) {
      std::vector<Job> together;
      together.emplace_back([&](HttpClient& client) { return erase(client, person); });
      if (person.other == Other::merged_meanwhile)
        together.emplace_back([&](HttpClient& client) { return merge(client, person, true); });
      for (int i = 0; person.raced && i < 4; ++i)
        together.emplace_back(
            [&, i](HttpClient& client) { return disturb(client, person, i % 2 == 0); });
      std::ranges::shuffle(together, clients_.random());
      std::ranges::move(together, std::back_inserter(jobs));
    }
    clients_.run("erasure: erasing", std::move(jobs));
    std::vector<Job> rests;
    for (Person& person : people_)
      rests.emplace_back([&](HttpClient& client) { return finish(client, person); });
    clients_.run("erasure: late writes", std::move(rests));
  }

  // PostgreSQL keeps the last statistics of an empty table, so one run of a neighbour ends and the
  // others go on.
  void end_run_of_neighbour() {
    clients_.run(
        "erasure: ending a run", {[&](HttpClient& client) -> asio::awaitable<void> {
          const Answer list = co_await insist(client, {.path = "/manage/runs/?workflow=greeting"});
          const auto document = json::Document::parse(list.body);
          std::string run;
          if (const auto data = document->root().member("data"))
            data->for_each([&](std::string_view, const json::Value& one) {
              run = one.member("id").value().text();
            });
          co_await answer_to(
              client, {.method = "POST", .path = std::format("/manage/runs/{}/end", run)}, {202});
        }});
    clients_.await_lanes();
  }

  void import_again() {
    std::vector<Job> jobs;
    for (Person& person : people_)
      jobs.emplace_back([&](HttpClient& client) { return come_back(client, person); });
    for (Neighbour& neighbour : neighbours_)
      jobs.emplace_back([&](HttpClient& client) { return visit(client, neighbour); });
    clients_.run("erasure: importing again", std::move(jobs));
  }

  const Needles& needles() const { return needles_; }

  Tally tally;

 private:
  void run_one(const std::string& what, Ask ask) {
    clients_.run(what, {[&](HttpClient& client) { return expect_status(client, ask, {201}); }});
  }

  asio::awaitable<Answer> answer_to(HttpClient& client, Ask ask, std::vector<int> right) {
    const std::string what = ask.method;
    Answer answer = co_await insist(client, std::move(ask));
    clients_.expect(std::ranges::contains(right, answer.status),
                    what + ": " + status_and_code(answer));
    co_return answer;
  }

  asio::awaitable<void> expect_status(HttpClient& client, Ask ask, std::vector<int> right) {
    co_await answer_to(client, std::move(ask), std::move(right));
  }

  asio::awaitable<void> make(HttpClient& client, Portrait& card, bool keyed) {
    const std::string& first = card.old_email.empty() ? card.email : card.old_email;
    const Answer answer =
        co_await answer_to(client,
                           {.method = "PATCH",
                            .path = email_path(first) + "?createContact=true",
                            .body = card.body,
                            .headers = key_header(keyed ? "make-" + std::to_string(++keys_) : "")},
                           {200, 201});
    card.id = member_of(answer, "id");
  }

  // Changes the person before the erasure: new addresses, points, a merge, invalid requests.
  asio::awaitable<void> live(HttpClient& client, Person& person) {
    for (Portrait* card : {&person.card, &person.other_card}) {
      if (card->old_email.empty()) continue;
      co_await answer_to(client,
                         {.method = "PATCH",
                          .path = external_id_path(card->external_id),
                          .body = std::format(R"({{"email":"{}"}})", card->email)},
                         {200});
    }
    const std::string path = email_path(person.card.email);
    co_await answer_to(client,
                       {.method = "PATCH",
                        .path = path,
                        .body = R"({"timeZone":"Europe/Vienna"})",
                        .headers = key_header("live-" + std::to_string(++keys_))},
                       {200});
    co_await answer_to(client,
                       {.method = "PATCH",
                        .path = path,
                        .body = std::format(R"({{"birthDate":"{}"}})", person.card.email)},
                       {422});
    co_await answer_to(client, {.path = path + ".nowhere?" + person.card.email}, {422});
    if (person.other == Other::merged_before) co_await merge(client, person, false);
    if (!person.unsubscribes) co_return;
    co_await answer_to(
        client,
        {.method = "PATCH", .path = path, .body = R"({"emailSubscription":"unsubscribed"})"},
        {200});
  }

  asio::awaitable<void> merge(HttpClient& client, Person& person, bool meanwhile) {
    std::vector<int> right{200};
    if (meanwhile) right.push_back(404);
    co_await answer_to(client,
                       {.method = "POST",
                        .path = "/manage/contacts/merge",
                        .body = std::format(R"({{"from":"{}","into":"{}"}})", person.other_card.id,
                                            person.card.id)},
                       right);
  }

  asio::awaitable<void> settle(HttpClient& client, Neighbour& neighbour) {
    co_await answer_to(
        client,
        {.method = "PATCH",
         .path = neighbour.path + "?createContact=true",
         .body = R"({"firstName":"Nora","tags":["near"],"points":7,"fields":{"nick":"N"},)"
                 R"("consent":[{"channel":"email","status":"subscribed","source":"form"}]})"},
        {201});
    neighbour.read = (co_await insist(client, {.path = neighbour.path})).body;
  }

  asio::awaitable<void> visit(HttpClient& client, Neighbour& neighbour) {
    const Answer answer = co_await insist(client, {.path = neighbour.path});
    clients_.expect(answer.body == neighbour.read, "a contact that was not erased has changed");
  }

  std::string path_of(const Person& person) const {
    return person.by_email ? email_path(person.card.email)
                           : external_id_path(person.card.external_id);
  }

  asio::awaitable<void> erase(HttpClient& client, Person& person) {
    co_await answer_to(
        client,
        {.method = "DELETE",
         .path = path_of(person),
         .headers = key_header(person.keyed ? "erase-" + std::to_string(++keys_) : "")},
        {204});
  }

  // Sends a concurrent write: either to the existing contact, or an import with an older time.
  asio::awaitable<void> disturb(HttpClient& client, Person& person, bool import) {
    const std::string path = email_path(person.card.email);
    const Answer answer =
        co_await answer_to(client,
                           {.method = "PATCH",
                            .path = import ? path + "?createContact=true" : path,
                            .body = import ? late_body(person.card) : R"({"points":{"add":1}})"},
                           {200, import ? 422 : 404});
    ++tally.raced;
    ++(answer.status == 200 ? tally.raced_taken : tally.raced_refused);
  }

  static std::string late_body(const Portrait& card) {
    return std::format(R"({{"company":"{}","sourceUpdatedAt":"{}"}})", card.external_id,
                       to_rfc3339(system_clock().now() - 1h));
  }

  // Checks that the contact is erased, erases the rest of a concurrent merge, and expects late
  // writes of the store to be rejected.
  asio::awaitable<void> finish(HttpClient& client, Person& person) {
    co_await answer_to(client, {.method = "DELETE", .path = path_of(person)}, {404});
    if (person.other == Other::merged_meanwhile)
      co_await answer_to(
          client, {.method = "DELETE", .path = external_id_path(person.other_card.external_id)},
          {204, 404});
    for (const auto& path :
         {email_path(person.card.email), external_id_path(person.card.external_id)}) {
      co_await answer_to(client, {.path = path}, {404});
      const Answer late = co_await answer_to(
          client,
          {.method = "PATCH", .path = path + "?createContact=true", .body = late_body(person.card)},
          {422});
      clients_.expect(member_of(late, "code") == "contact-erased",
                      "a late write: " + status_and_code(late));
      ++tally.refused_late;
    }
    co_await answer_to(client, {.path = "/manage/contacts/" + person.card.id}, {404});
  }

  asio::awaitable<void> come_back(HttpClient& client, Person& person) {
    const Answer answer =
        co_await answer_to(client,
                           {.method = "PATCH",
                            .path = email_path(person.card.email) + "?createContact=true",
                            .body = R"({"emailSubscription":"subscribed"})"},
                           {201});
    const bool away = member_of(answer, "emailSubscription") == "unsubscribed";
    clients_.expect(away == person.unsubscribes, "imported again: the unsubscribing was forgotten");
    clients_.expect(away == answer.body.contains("\"consent-needs-proof\""),
                    "imported again: no warning");
    tally.stayed_away += away;
  }

  ClientGroup& clients_;
  Needles needles_;
  std::vector<Person> people_;
  std::vector<Neighbour> neighbours_;
  int keys_ = 0;
};

// Searches the installation before and after the erasure, and keeps the figures of both.
class Search {
 public:
  Search(ClientGroup& clients, const Needles& needles) : clients_{clients}, needles_{needles} {}

  // The search before the erasure must find every string, or the one after it would prove nothing.
  std::string before() {
    clients_.database().run("ANALYZE");
    const Scan tables = scan_tables(clients_.database(), needles_);
    const Scan statistics = scan_statistics(clients_.database(), needles_);
    clients_.expect(
        tables.found().size() == needles_.size(),
        std::format("before: found only {} of {}", tables.found().size(), needles_.size()));
    clients_.expect(!statistics.found().empty(), "before: nothing in the planner's statistics");
    for (const auto& [place, found] : tables.finds)
      clients_.expect(!place.contains("claim"), "a string is readable in an encrypted response");
    expect_silent_logs();
    return std::format("{} strings, of which a search finds {} in {} of {} tables before",
                       needles_.size(), tables.found().size(), tables.finds.size(), tables.places);
  }

  std::string after() {
    const Scan tables = scan_tables(clients_.database(), needles_);
    clients_.expect(tables.found().empty(), "after: " + tables.where());
    const Scan old_statistics = scan_statistics(clients_.database(), needles_);
    clients_.database().run("ANALYZE");
    const Scan statistics = scan_statistics(clients_.database(), needles_);
    clients_.expect(statistics.found().empty(), "after ANALYZE: " + statistics.where());
    const Scan logs = expect_silent_logs();
    const auto answers = clients_.count("claim");
    clients_.expect(answers > 0, "no idempotent response was stored");
    return std::format(
        "and {} after, {} in {} logs of {} KiB, 0 in {} encrypted responses, {} in the planner's "
        "statistics until the next ANALYZE and {} then",
        tables.found().size(), logs.found().size(), logs.places, logs.bytes / 1024, answers,
        old_statistics.found().size(), statistics.found().size());
  }

 private:
  Scan expect_silent_logs() {
    Scan logs = scan_logs(clients_.directory(), needles_);
    clients_.expect(logs.found().empty(), "logged: " + logs.where());
    Needles known;  // strings that must be found, to prove that the right logs were searched
    known.add({"/contacts/email/{email}"});
    known.add({"ready to accept connections"});
    clients_.expect(scan_logs(clients_.directory(), known).found().size() == known.size(),
                    "the logs do not contain the processes' messages");
    return logs;
  }

  ClientGroup& clients_;
  const Needles& needles_;
};

}  // namespace

Verdict erasure(const Setting& setting) {
  const std::size_t people = setting.quick ? 10 : 200;
  ClientGroup clients{setting, "Erasure"};
  clients.publish_workflow();
  Forgetting forgetting{clients, people};
  forgetting.define_fields();
  forgetting.write_everybody();
  clients.await_lanes();
  const auto runs = clients.count("run");
  clients.expect(runs > 0, "no run of a workflow");
  Search search{clients, forgetting.needles()};
  const std::string before = search.before();
  forgetting.erase_everybody();
  clients.await_lanes();
  forgetting.end_run_of_neighbour();
  const std::string after = search.after();
  forgetting.import_again();
  const Tally& tally = forgetting.tally;
  return clients.verdict(std::format(
      "2 processes, {} people erased, with {} runs of a workflow, under {} concurrent writes ({} "
      "accepted, {} rejected): {}, {}; {} late writes rejected, {} unsubscribed people stay so "
      "when imported again, {} other "
      "contacts unchanged",
      people, runs, tally.raced, tally.raced_taken, tally.raced_refused, before, after,
      tally.refused_late, tally.stayed_away, people / 2));
}

}  // namespace shopbell::proofs
