// Imports contacts and purchases, and runs an export, while processes are killed, PostgreSQL
// crashes and the S3 server stops. Another account imports the same files without failures: at the
// end both hold the same data.
#include <algorithm>
#include <array>
#include <format>
#include <random>
#include <thread>

#include "pg/script.h"
#include "runtime/wait.h"
#include "tests/proofs/actors/client_group.h"
#include "tests/proofs/actors/process_pair.h"
#include "tests/proofs/actors/proof.h"

namespace shopbell::proofs {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using runtime::Steady;
using testing::Answer;
using testing::Ask;

// The number of failures of each kind during a job.
struct Trouble {
  int kills = 0;    // kills of both processes, so that the one running the job is hit
  int crashes = 0;  // crashes of PostgreSQL
  int stops = 0;    // stops of the S3 server
};

struct Size {
  std::size_t people = 300'000;
  std::size_t orders = 40'000;
  Trouble with_people{.kills = 22, .crashes = 3, .stops = 3};
  Trouble with_orders{.kills = 8, .crashes = 2, .stops = 2};
  Trouble with_export{.kills = 3};
};

// Returns a CSV file of contacts. Some people occur twice in a row, a tenth again much later; every
// hundredth row is invalid.
std::string file_of_people(std::size_t rows) {
  std::string text = "externalId,email,firstName,points,tags,emailSubscription\r\n";
  const std::size_t people = rows * 9 / 10;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t who = (i % 50 == 49 ? i - 1 : i) % people;
    text += std::format("k{0},k{0}@people.example,Name {1},{2},all|{3},{4}\r\n", who, i,
                        i % 100 == 7 ? "many" : std::to_string(i % 1000), i % 7,
                        i % 3 == 0 ? "subscribed" : "none");
  }
  return text;
}

// Returns a CSV file with two rows per order; some orders occur again with another total.
std::string file_of_orders(std::size_t orders, std::size_t people) {
  std::string text =
      "purchaseId,contact.externalId,currency,total,purchasedAt,lines.name,lines.quantity\r\n";
  for (std::size_t i = 0; i < orders; ++i) {
    const std::size_t order = i % 20 == 19 ? i / 2 : i;
    for (int line = 0; line < 2; ++line)
      text += std::format("o{},k{},EUR,{}.{:02},2026-0{}-10T10:00:00Z,Thing {},{}\r\n", order,
                          order * 7 % (people / 3), i % 500, i % 100, 1 + i % 9, line, 1 + line);
  }
  return text;
}

class ImportKill {
 public:
  ImportKill(const Setting& setting, const Size& size)
      : size_{size}, random_{setting.seed}, installation_{setting.checkout, setting.binary} {
    if (!setting.quick) installation_.use_s3();
    for (const std::string name : {"Calm", "Stormy"}) {
      Store& store = stores_[name == "Stormy"];
      store.key = installation_.create_unlimited_key(name);
      store.account = number(std::format(
          "SELECT account_id AS n FROM account WHERE name = '{}' AND live_account_id IS NULL",
          name));
    }
    pair_ = std::make_unique<ProcessPair>(installation_);
  }

  Verdict run() {
    const std::string people = file_of_people(size_.people);
    const std::string orders = file_of_orders(size_.orders, size_.people * 9 / 10);
    const std::array outcomes{import_both("contacts", people, size_.with_people),
                              import_both("purchases", orders, size_.with_orders)};
    const std::string calm = exported(stores_[0], {});
    const std::string stormy = exported(stores_[1], size_.with_export);
    expect(calm == stormy, "the killed export's file differs");
    expect(export_attempts_ > size_.with_export.kills, "a kill did not interrupt the export");
    compare();
    std::string figures = std::format(
        "2 processes, {} rows of contacts and {} of purchases: {} × kill -9 of both, {} × "
        "PostgreSQL crashed, {} × the S3 server stopped, {} attempts; contacts {}, purchases {}, "
        "equal to the undisturbed account, with every event, total and report; an export started "
        "{} times is complete",
        size_.people, 2 * size_.orders, killed_, crashed_, stopped_, attempts_, outcomes[0],
        outcomes[1], export_attempts_);
    for (const auto& [what, times] : wrong_)
      figures += std::format("; WRONG, {} times: {}", times, what);
    if (!wrong_.empty()) figures += std::format("; logs in {}", installation_.keep_logs().string());
    return {.holds = wrong_.empty(), .figures = std::move(figures)};
  }

 private:
  struct Store {
    std::string key;
    std::int64_t account = 0;
  };

  void expect(bool right, const std::string& what) {
    if (!right) ++wrong_[what.substr(0, 400)];
  }

  // Sends the request to the processes in turn until one answers.
  Answer ask(const Store& store, const Ask& wish) {
    Answer answer;
    for (int i = 0; i < 600; ++i) {
      asio::io_context loop;
      PairClient client{loop, *pair_, store.key};
      answer = runtime::run_to_end(loop, client.send(static_cast<std::size_t>(i) % 2, wish));
      if (answer.outcome == Answer::Outcome::answered && answer.status < 500) break;
      std::this_thread::sleep_for(50ms);
    }
    return answer;
  }

  // Reads a number from the database, with retries while it is down.
  std::int64_t number(const std::string& query) {
    for (int i = 0;; ++i) {
      try {
        if (!admin_) admin_ = std::make_unique<pg::Script>(installation_.admin_url());
        return admin_->query(query)[0].integer("n");
      } catch (const std::exception&) {
        admin_.reset();
        if (i == 100) throw;
        std::this_thread::sleep_for(100ms);
      }
    }
  }

  // Imports the file into both stores and returns their common outcome.
  std::string import_both(const std::string& type, const std::string& file,
                          const Trouble& trouble) {
    std::array<std::string, 2> outcomes;
    for (const bool stormy : {false, true}) {
      const Store& store = stores_[stormy];
      const Answer made = ask(store, {.method = "POST",
                                      .path = "/imports/?type=" + type,
                                      .body = file,
                                      .headers = {{"Content-Type", "text/csv"}}});
      expect(made.status == 201, "POST /imports/ " + status_and_code(made));
      const std::string path = "/imports/" + member_of(made, "id");
      await(path, static_cast<std::size_t>(std::ranges::count(file, '\n')),
            stormy ? trouble : Trouble{});
      const Answer done = ask(store, {.path = path});
      for (const std::string_view name : {"status", "created", "updated", "unchanged", "failed"})
        outcomes[stormy] += std::format(" {} {}", name, member_of(done, name));
      if (stormy) attempts_ += std::stoll(member_of(done, "attempt"));
      reports_[stormy] =
          member_of(done, "failed") == "0" ? "" : fetched(store, member_of(done, "errorReportUrl"));
    }
    expect(outcomes[0] == outcomes[1], std::format("{}:{} but{}", type, outcomes[0], outcomes[1]));
    expect(outcomes[0].starts_with(" status finished"), type + ": outcome" + outcomes[0]);
    expect(reports_[0] == reports_[1], "the reports differ");
    return outcomes[1].substr(std::string_view{" status finished "}.size());
  }

  std::string exported(const Store& store, const Trouble& trouble) {
    const Answer made =
        ask(store, {.method = "POST",
                    .path = "/exports/",
                    .body = R"({"type":"contacts","format":"csv","rawText":true,"columns":)"
                            R"(["externalId","email","firstName","points","tags"]})",
                    .headers = {{"Content-Type", "application/json"}}});
    expect(made.status == 201, "POST /exports/ " + status_and_code(made));
    const std::string path = "/exports/" + member_of(made, "id");
    await(path, 0, trouble);
    const Answer done = ask(store, {.path = path});
    expect(member_of(done, "status") == "finished", "the export's outcome: " + done.body);
    export_attempts_ = std::stoi(member_of(done, "attempt"));
    return fetched(store, member_of(done, "fileUrl"));
  }

  // Downloads a file by its link, following a redirect.
  std::string fetched(const Store& store, const std::string& link) {
    const Answer file = ask(store, {.path = link});
    expect(file.status == 200 || file.status == 307,
           "cannot download a file: " + status_and_code(file));
    return file.status == 307 ? testing::run({"curl", "-sS", "--fail", file.header("Location")})
                              : file.body;
  }

  // Waits for the job to finish. Failures are spread evenly over its rows, or one per attempt if
  // the number of rows is unknown.
  void await(const std::string& path, std::size_t rows, const Trouble& trouble) {
    std::string plan = std::string(static_cast<std::size_t>(trouble.kills), 'k') +
                       std::string(static_cast<std::size_t>(trouble.crashes), 'p') +
                       std::string(static_cast<std::size_t>(trouble.stops), 's');
    std::ranges::shuffle(plan, random_);
    const std::string id = path.substr(path.rfind('/') + 1);
    const auto until = Steady::now() + 20min;
    std::size_t next = 0;
    while (Steady::now() < until) {
      const bool over = number(std::format("SELECT count(*) AS n FROM job WHERE job_id = '{}' AND "
                                           "state NOT IN ('queued', 'inProgress')",
                                           id)) > 0;
      if (over)
        return expect(next == plan.size(), "the job finished before all failures had happened");
      const auto read = [&](std::string_view column) {
        return static_cast<std::size_t>(
            number(std::format("SELECT {} AS n FROM job WHERE job_id = '{}'", column, id)));
      };
      const auto done = read("done");
      progress(std::format("import-kill: {} rows, {} killed", done, killed_));
      const bool due = rows > 0 ? done >= rows * next / (plan.size() + 1) : read("attempt") > next;
      if (next < plan.size() && due)
        happen(plan[next++]);
      else
        std::this_thread::sleep_for(20ms);
    }
    expect(false, path + " is stuck");
  }

  void happen(char what) {
    std::this_thread::sleep_for(std::chrono::milliseconds{random_() % 400});
    if (what == 'k') {
      pair_->kill_and_restart(0);
      pair_->kill_and_restart(1);
      ++killed_;
    } else if (what == 'p') {
      installation_.crash_database();
      std::this_thread::sleep_for(std::chrono::milliseconds{random_() % 300});
      installation_.resume_database();
      ++crashed_;
    } else {
      if (uses_s3()) installation_.halt_s3();
      std::this_thread::sleep_for(std::chrono::milliseconds{random_() % 2000});
      if (uses_s3()) installation_.resume_s3();
      ++stopped_;
    }
  }

  bool uses_s3() const { return size_.with_people.stops > 0; }

  // Compares the data of both accounts, without ids and other account-specific values.
  void compare() {
    const std::array<std::pair<std::string, std::string>, 5> kinds{{
        {"contacts",
         "SELECT external_id, email, first_name, points, tags, email_subscription, event_seq, "
         "purchases FROM contact WHERE account_id = {}"},
        {"events of contacts",
         "SELECT e.kind, c.external_id, e.contact_seq, e.payload FROM event e JOIN contact c USING "
         "(account_id, contact_id) WHERE account_id = {} AND e.kind LIKE 'contact.%'"},
        {"other events",
         "SELECT e.kind, e.contact_seq, c.external_id, CASE WHEN e.kind LIKE 'purchase.%' THEN "
         "e.subject END FROM event e LEFT JOIN contact c USING (account_id, contact_id) WHERE "
         "account_id = {} AND e.kind NOT LIKE 'contact.%' AND e.kind NOT LIKE 'export.%'"},
        {"purchases",
         "SELECT p.store_id, c.external_id, p.status, p.net_total, p.purchased_at FROM purchase p "
         "JOIN contact c USING (account_id, contact_id) WHERE account_id = {}"},
        {"facets",
         "SELECT c.external_id, count(*) FROM contact_facet f JOIN contact c USING (account_id, "
         "contact_id) WHERE account_id = {} GROUP BY c.external_id"},
    }};
    for (const auto& [name, query] : kinds) {
      std::array<std::string, 2> of;
      for (const std::size_t i : {0U, 1U})
        of[i] = query.substr(0, query.find("{}")) + std::to_string(stores_[i].account) +
                query.substr(query.find("{}") + 2);
      const auto only = number(std::format(
          "SELECT count(*) AS n FROM (({0} EXCEPT ALL {1}) UNION ALL ({1} EXCEPT ALL {0})) AS d",
          of[0], of[1]));
      expect(only == 0, std::format("{} {} differ", only, name));
      expect(number(std::format("SELECT count(*) AS n FROM ({}) AS q", of[1])) > 0,
             "there are no " + name);
    }
    expect(number(std::format("SELECT count(*) AS n FROM event WHERE account_id = {} AND kind = "
                              "'import.finished'",
                              stores_[1].account)) == 2,
           "not exactly one import.finished event per import");
  }

  const Size size_;
  std::mt19937_64 random_;
  testing::Installation installation_;
  std::unique_ptr<pg::Script> admin_;
  std::array<Store, 2> stores_;
  std::unique_ptr<ProcessPair> pair_;
  std::array<std::string, 2> reports_;
  int killed_ = 0;
  int crashed_ = 0;
  int stopped_ = 0;
  std::int64_t attempts_ = 0;
  int export_attempts_ = 0;
  std::map<std::string, int> wrong_;
};

}  // namespace

Verdict import_kill(const Setting& setting) {
  const Size small{.people = 8'000,
                   .orders = 200,
                   .with_people = {.kills = 1, .crashes = 1},
                   .with_orders = {},
                   .with_export = {}};
  return ImportKill{setting, setting.quick ? small : Size{}}.run();
}

}  // namespace shopbell::proofs
