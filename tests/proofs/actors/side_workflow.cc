#include "tests/proofs/actors/side_workflow.h"

#include <chrono>
#include <format>
#include <print>
#include <stdexcept>
#include <thread>

#include <boost/asio/io_context.hpp>

#include "runtime/wait.h"
#include "testing/http_client.h"
#include "tests/proofs/actors/contact_ledger.h"

namespace shopbell::proofs {

namespace {

using namespace std::chrono_literals;
using runtime::Steady;
using testing::Answer;

constexpr auto kSettlesWithin = 60s;

std::int64_t count(pg::Script& database, const std::string& query) {
  return database.query("SELECT count(*) AS n FROM " + query)[0].integer("n");
}

// Contacts, with the number of runs that they and those merged into them have, and how often they
// were created.
std::string greeted(const std::string& which) {
  return std::format(
      "(SELECT c.contact_id, (SELECT count(*) FROM enrolment e WHERE e.account_id = c.account_id "
      "AND e.contact_id = c.contact_id) AS enrolments, (SELECT count(*) FROM run r WHERE "
      "r.account_id = c.account_id AND r.contact_id = c.contact_id) + (SELECT count(*) FROM "
      "run_history h WHERE h.account_id = c.account_id AND h.contact_id = c.contact_id) AS runs, "
      "(SELECT count(*) FROM event v WHERE v.account_id = c.account_id AND v.kind = "
      "'contact.created' AND v.contact_id IN (SELECT c.contact_id UNION ALL SELECT m.contact_id "
      "FROM merged_contact m WHERE m.account_id = c.account_id AND m.into_id = c.contact_id)) AS "
      "created FROM contact c WHERE true{}) g",
      which);
}

void publish(const std::string& host, const std::string& port, const std::string& key,
             const std::string& definition) {
  boost::asio::io_context loop;
  testing::HttpClient client{loop, host, port, key};
  const auto send = [&](std::string path, std::string body) {
    const Answer answer = runtime::run_to_end(
        loop, client.send({.method = "POST", .path = std::move(path), .body = std::move(body)}));
    if (answer.status != 200 && answer.status != 201)
      throw std::runtime_error{
          std::format("could not publish the workflow: {} {}", answer.status, answer.body)};
    return answer.body;
  };
  const std::string made = send("/manage/workflows/", definition);
  send(std::format("/manage/workflows/{}/publish", member_of(made, "id").value_or("")), "");
}

// Prints a few of the runs, with what could move them and what happened to their contacts.
void tell_stuck(pg::Script& database, const std::string& runs) {
  const pg::Result found = database.query(
      "SELECT format('run %s, %s at %s since %s, written %s times, due %s, timer %s (%s); contact "
      "%s %s, events: %s', r.run_id, r.state, r.node, r.node_since, r.seq, r.due_at, r.timer_at, "
      "(SELECT count(*) FROM timer t WHERE t.owner_id = r.run_id), r.contact_id, CASE WHEN EXISTS "
      "(SELECT FROM contact c WHERE c.contact_id = r.contact_id) THEN 'is there' ELSE 'is gone' "
      "END, (SELECT string_agg(e.kind || ' ' || e.id || ' ' || e.received_at, ', ' ORDER BY e.id) "
      "FROM event e WHERE e.contact_id = r.contact_id)) AS text FROM (SELECT * FROM " +
      runs + " LIMIT 3) r");
  for (std::size_t i = 0; i < found.size(); ++i) std::println("✗ {}", found[i].text("text"));
}

std::string of(std::optional<std::int64_t> account) {
  return account ? std::format(" AND account_id = {}", *account) : "";
}

}  // namespace

std::string publish_greeting(const std::string& admin_url, const std::string& host,
                             const std::string& port, const std::string& key) {
  publish(host, port, key, R"({"alias":"greeting","name":"Greeting",
    "trigger":{"event":"contact.created"},"reentry":{"mode":"once"},
    "nodes":[{"id":"pause","type":"wait","for":"PT1S"}]})");
  return pg::Script{admin_url}.query("SELECT clock_timestamp()::text AS now")[0].text("now");
}

void publish_short_wait(const std::string& host, const std::string& port, const std::string& key,
                        const std::string& event) {
  publish(host, port, key,
          std::format(R"({{"alias":"short-wait","name":"Short wait",
    "trigger":{{"event":"{}"}},"reentry":{{"mode":"afterExit"}},
    "nodes":[{{"id":"pause","type":"wait","for":"PT1S"}}]}})",
                      event));
}

Leftovers await_ends(pg::Script& database, std::optional<std::int64_t> account) {
  const std::string unread =
      "(SELECT FROM log_position WHERE reader = 'automation' AND tick < (SELECT max(tick) FROM "
      "log_tick)) x";
  const std::string unfinished = "run WHERE state <> 'parked'" + of(account);
  const auto until = Steady::now() + kSettlesWithin;
  while ((count(database, unread) > 0 || count(database, unfinished) > 0) && Steady::now() < until)
    std::this_thread::sleep_for(200ms);
  tell_stuck(database, unfinished);
  return {.ended = count(database, "run_history WHERE true" + of(account)),
          .stuck = count(database, unfinished),
          .parked = count(database, "run WHERE state = 'parked'" + of(account))};
}

Greetings compare_greetings(pg::Script& database, const std::string& since,
                            std::optional<std::int64_t> account) {
  const Leftovers left = await_ends(database, account);
  const std::string which = of(account) + std::format(" AND created_at >= '{}'", since);
  const std::string people = greeted(which);
  const auto runs =
      database.query("SELECT coalesce(sum(runs), 0)::bigint AS n FROM " + people)[0].integer("n");
  return {.contacts = count(database, "contact WHERE true" + which),
          .runs = runs,
          .missing = count(database, people + " WHERE enrolments <> 1 OR runs = 0"),
          .again = count(database, people + " WHERE runs > created"),
          .stuck = left.stuck,
          .parked = left.parked};
}

Greetings& Greetings::operator+=(const Greetings& other) {
  contacts += other.contacts;
  runs += other.runs;
  missing += other.missing;
  again += other.again;
  stuck += other.stuck;
  parked += other.parked;
  return *this;
}

std::string Greetings::text() const {
  return std::format(
      "a workflow beside it: {} contacts, {} runs, {} missing, {} again, {} stuck, {} parked",
      contacts, runs, missing, again, stuck, parked);
}

}  // namespace shopbell::proofs
