// A store's nightly sync sends everybody as subscribed, while people unsubscribe before, during and
// after the sync of their row. They stay unsubscribed after any number of syncs, until they
// themselves consent again, at a later time.
#include <algorithm>
#include <format>

#include "base/time.h"
#include "tests/proofs/actors/client_group.h"

namespace shopbell::proofs {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using testing::Answer;
using testing::HttpClient;

enum class Leaves { never, before, during, after };
enum class Known { no, without_choice, subscribed };

struct Person {
  std::string email;
  Known known = Known::no;  // how the service knows the person before the first sync
  std::optional<Instant> row_time;
  Leaves leaves = Leaves::never;
  // The choice is in a consent entry with its own time, not in `emailSubscription`.
  bool by_entry = false;
  int deliveries = 1;
  bool outdated = false;  // the person's row is older than the stored contact
  bool ahead = false;     // the person's row has a future time
  std::chrono::milliseconds late{0};
};

struct Tally {
  int rows = 0;
  int outdated = 0;
  int warnings = 0;
  int deliveries = 0;
  int again = 0;  // people who unsubscribed, but are subscribed
};

bool warns(const Answer& answer) { return answer.body.contains("\"consent-needs-proof\""); }

std::string time_member(const std::optional<Instant>& time) {
  return time ? std::format(R"(,"sourceUpdatedAt":"{}")", to_rfc3339(*time)) : "";
}

class Nights {
 public:
  Nights(ClientGroup& clients, std::size_t people, std::size_t leaving) : clients_{clients} {
    const Instant start = system_clock().now();
    people_.resize(people);
    for (std::size_t i = 0; i < people; ++i) draw(people_[i], i, start);
    std::vector<std::size_t> order(people);
    for (std::size_t i = 0; i < people; ++i) order[i] = i;
    std::ranges::shuffle(order, clients_.random());
    for (std::size_t i = 0; i < leaving; ++i) {
      Person& person = people_[order[i]];
      person.leaves = std::array{Leaves::before, Leaves::during, Leaves::after}[i % 3];
      person.by_entry = i % 2 == 0;
      person.deliveries = clients_.random()() % 3 == 0 ? 2 : 1;
      leaving_.push_back(&person);
    }
  }

  // Sends the store's earlier writes, before the first sync.
  void make_known(Instant then) {
    std::vector<Job> jobs;
    for (Person& person : people_) {
      if (person.known == Known::no) continue;
      jobs.emplace_back([&, then](HttpClient& client) { return make(client, person, then); });
    }
    clients_.run("consent: before", std::move(jobs));
  }

  void leave(Leaves when) {
    std::vector<Job> jobs;
    for (Person* person : leaving_) {
      if (person->leaves == when) add_leave(jobs, *person);
    }
    clients_.run("consent: unsubscribing", std::move(jobs));
  }

  // Syncs all rows; people who unsubscribe meanwhile do so close to their row.
  void sync(int night) {
    std::vector<std::pair<double, Job>> placed;
    std::uniform_real_distribution<double> nearby{-30, 30};
    double row = 0;
    for (Person& person : people_) {
      placed.emplace_back(
          row, [&, night](HttpClient& client) { return sync_row(client, person, night); });
      if (night == 1 && person.leaves == Leaves::during) {
        std::vector<Job> jobs;
        add_leave(jobs, person);
        for (auto& job : jobs) placed.emplace_back(row + nearby(clients_.random()), std::move(job));
      }
      ++row;
    }
    std::ranges::stable_sort(placed, {}, &std::pair<double, Job>::first);
    std::vector<Job> jobs;
    for (auto& [place, job] : placed) jobs.push_back(std::move(job));
    clients_.run(std::format("consent: sync {}", night), std::move(jobs));
  }

  // Sends consents with proof: for `later` people given after they unsubscribed, for `earlier`
  // people before.
  void give_proof(std::size_t later, std::size_t earlier) {
    std::vector<Job> jobs;
    for (std::size_t i = 0; i < later + earlier; ++i) {
      jobs.emplace_back([&, i, later](HttpClient& client) {
        return prove_consent(client, *leaving_[i], i < later);
      });
    }
    clients_.run("consent: proofs", std::move(jobs));
  }

  // Compares the database with the API. The first `back` people of `leaving_` are subscribed again.
  void judge(const std::string& when, std::size_t back) {
    const auto people = clients_.database().query(
        "SELECT c.email_key, c.email_subscription,"
        " (SELECT count(*) FROM consent k WHERE k.account_id = c.account_id"
        "   AND k.contact_id = c.contact_id AND k.channel = 'email' AND k.status = 'unsubscribed')"
        " AS entries,"
        " (SELECT count(*) FROM event e WHERE e.account_id = c.account_id"
        "   AND e.contact_id = c.contact_id AND e.kind = 'contact.unsubscribed') AS events,"
        " (SELECT string_agg(f.value, ' ') FROM contact_facet f WHERE f.account_id = c.account_id"
        "   AND f.contact_id = c.contact_id AND f.facet = -1) AS facet "
        "FROM contact c");
    std::map<std::string, std::size_t> rows;
    for (std::size_t i = 0; i < people.size(); ++i) rows[people[i].text("email_key")] = i;
    clients_.expect(rows.size() == people_.size(), when + ": contacts are missing");
    for (const Person& person : people_) {
      const auto found = rows.find(person.email);
      if (found == rows.end()) continue;
      const auto row = people[found->second];
      const bool left = person.leaves != Leaves::never;
      const bool away = left && std::ranges::find(leaving_, &person) - leaving_.begin() >=
                                    static_cast<std::ptrdiff_t>(back);
      const std::string is = row.text("email_subscription");
      tally.again += away && is == "subscribed";
      if (is != (away ? "unsubscribed" : "subscribed"))
        clients_.wrong(std::format("{}: {} is {}", when, describe(person), is));
      clients_.expect(row.text("facet") == is, when + ": the subscription facet differs");
      clients_.expect(row.integer("entries") == left,
                      when + ": not exactly one consent entry per unsubscribing");
      clients_.expect(row.integer("events") == left,
                      when + ": not exactly one event per unsubscribing");
    }
  }

  void read_those_who_left() {
    std::vector<Job> jobs;
    for (Person* person : leaving_)
      jobs.emplace_back([&, person](HttpClient& client) { return read(client, *person); });
    clients_.run("consent: reading", std::move(jobs));
  }

  Tally tally;

 private:
  void draw(Person& person, std::size_t number, Instant start) {
    auto& random = clients_.random();
    person.email = std::format("person-{}@sync.example", number);
    person.known = std::array{Known::no, Known::without_choice, Known::subscribed}[random() % 3];
    person.late = std::chrono::milliseconds{random() % 5000};
    switch (random() % 4) {
      case 0:
        person.row_time = start - 1h;
        break;
      case 1:
        person.row_time = start + 3min;
        person.ahead = true;
        break;
      case 2:
        if (person.known != Known::subscribed) break;
        person.row_time = start - 24h * 365;
        person.outdated = true;
        break;
      default:
        break;
    }
  }

  static std::string describe(const Person& person) {
    return std::format("a person who unsubscribed {} their row{}{}",
                       person.leaves == Leaves::never    ? "never, neither before nor after"
                       : person.leaves == Leaves::before ? "before"
                       : person.leaves == Leaves::during ? "around"
                                                         : "after",
                       person.by_entry ? " by a consent entry" : " by emailSubscription",
                       person.known == Known::subscribed ? ", subscribed before"
                       : person.ahead                    ? ", synced with a time in the future"
                                                         : "");
  }

  void add_leave(std::vector<Job>& jobs, const Person& person) {
    const std::shared_ptr<Instant> at = std::make_shared<Instant>();
    for (int i = 0; i < person.deliveries; ++i)
      jobs.emplace_back([&, at](HttpClient& client) { return unsubscribe(client, person, at); });
  }

  asio::awaitable<void> make(HttpClient& client, const Person& person, Instant then) {
    const Answer answer = co_await insist(
        client, {.method = "PATCH",
                 .path = email_path(person.email) + "?createContact=true",
                 .body = std::format(R"({{"emailSubscription":"{}"{}}})",
                                     person.known == Known::subscribed ? "subscribed" : "none",
                                     time_member(then))});
    clients_.expect(answer.status == 201, "made: " + status_and_code(answer));
  }

  asio::awaitable<void> sync_row(HttpClient& client, const Person& person, int night) {
    const std::string name = std::format("night {}", night);
    const Answer answer = co_await insist(
        client, {.method = "PATCH",
                 .path = email_path(person.email) + "?createContact=true",
                 .body = std::format(R"({{"firstName":"{}","emailSubscription":"subscribed"{}}})",
                                     name, time_member(person.row_time))});
    ++tally.rows;
    tally.warnings += warns(answer);
    tally.outdated += answer.header("Shopbell-Applied") == "stale";
    clients_.expect(answer.status == 200 || answer.status == 201,
                    "sync: " + status_and_code(answer));
    clients_.expect((answer.header("Shopbell-Applied") == "stale") == person.outdated,
                    "sync: Shopbell-Applied does not match the row's age");
    clients_.expect(person.outdated || member_of(answer, "firstName") == name,
                    "sync: the other members of a row were not applied");
    clients_.expect(person.leaves != Leaves::never || !warns(answer),
                    "sync: a warning for a person who never unsubscribed");
    clients_.expect(
        night == 1 || person.outdated || person.leaves == Leaves::never || warns(answer),
        "sync: no warning for a person who unsubscribed");
  }

  // Sends one unsubscription; `at` is when the person clicked, slightly earlier.
  asio::awaitable<void> unsubscribe(HttpClient& client, const Person& person,
                                    std::shared_ptr<Instant> at) {
    if (*at == Instant{}) *at = system_clock().now() - person.late;
    std::string body = R"({"emailSubscription":"unsubscribed"})";
    if (person.by_entry)
      body = std::format(
          R"({{"consent":[{{"channel":"email","status":"unsubscribed","at":"{}","source":"link"}}]}})",
          to_rfc3339(*at));
    const Answer answer =
        co_await insist(client, {.method = "PATCH",
                                 .path = email_path(person.email) + "?createContact=true",
                                 .body = std::move(body)});
    ++tally.deliveries;
    clients_.expect(answer.status == 200 || answer.status == 201,
                    "unsubscribing: " + status_and_code(answer));
    if (member_of(answer, "emailSubscription") != "unsubscribed")
      clients_.wrong("acknowledged, but not unsubscribed: " + describe(person));
  }

  asio::awaitable<void> prove_consent(HttpClient& client, const Person& person, bool later) {
    const Instant at = system_clock().now() - (later ? 0h : 24h * 60);
    const Answer answer = co_await insist(
        client,
        {.method = "PATCH",
         .path = email_path(person.email),
         .body = std::format(
             R"({{"consent":[{{"channel":"email","status":"subscribed","at":"{}","source":"form",)"
             R"("ip":"192.0.2.1","wording":"Yes, please.","method":"doubleOptIn"}}]}})",
             to_rfc3339(at))});
    clients_.expect(
        answer.status == 200 && warns(answer) != later,
        std::format("{} proof: {}", later ? "later" : "earlier", status_and_code(answer)));
  }

  asio::awaitable<void> read(HttpClient& client, const Person& person) {
    const Answer answer = co_await insist(client, {.path = email_path(person.email)});
    clients_.expect(member_of(answer, "emailSubscription") == "unsubscribed" &&
                        member_of(answer, "consent").contains("\"unsubscribed\""),
                    "read: an unsubscribed person is not shown as such with the entry");
  }

  ClientGroup& clients_;
  std::vector<Person> people_;
  std::vector<Person*> leaving_;
};

}  // namespace

Verdict consent(const Setting& setting) {
  const std::size_t people = setting.quick ? 300 : 10'000;
  const std::size_t leaving = people / 10;
  const std::size_t back = leaving / 10;
  ClientGroup clients{setting, "Consent"};
  Nights nights{clients, people, leaving};
  nights.make_known(system_clock().now() - 24h * 30);
  nights.leave(Leaves::before);
  nights.sync(1);
  nights.leave(Leaves::after);
  nights.judge("after a sync", 0);
  nights.sync(2);
  nights.judge("after another", 0);
  nights.read_those_who_left();
  nights.give_proof(back, back);
  nights.judge("after proofs", back);
  const Tally& tally = nights.tally;
  return clients.verdict(std::format(
      "2 processes, {} people synced twice in {} rows ({} outdated), {} unsubscribed around it in "
      "{} deliveries: each once, {} subscribed again by the sync, {} warnings; of {} consents with "
      "proof the {} later ones were accepted",
      people, tally.rows, tally.outdated, leaving, tally.deliveries, tally.again, tally.warnings,
      back * 2, back));
}

}  // namespace shopbell::proofs
