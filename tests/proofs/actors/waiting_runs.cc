#include "tests/proofs/actors/waiting_runs.h"

#include <algorithm>
#include <format>
#include <functional>
#include <stdexcept>
#include <thread>

#include "runtime/wait.h"
#include "tests/proofs/actors/contact_ledger.h"
#include "tests/proofs/actors/neighbours.h"
#include "tests/proofs/actors/proof.h"

namespace shopbell::proofs {

namespace {

using namespace std::chrono_literals;
using runtime::Steady;
using testing::Answer;

constexpr std::size_t kSessions = 2;              // that load at the same time
constexpr std::int64_t kChunk = 50'000;           // contacts that one statement loads
constexpr std::string_view kModel = "model";      // the contact whose runs are copied
constexpr std::string_view kWitness = "witness";  // the contact whose runs loaded ones must equal

// Ids that sort by n, as those of the service sort by time; and the lanes of events::lane_of().
constexpr std::string_view kFunctions = R"(
  CREATE FUNCTION proof_contact(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (lpad(to_hex(1700000000000 + n), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid;
  CREATE FUNCTION proof_lane(account bigint, contact uuid) RETURNS smallint LANGUAGE sql IMMUTABLE
    PARALLEL SAFE
    RETURN ((get_byte(sha256(int8send(account) || uuid_send(contact)), 0) << 2)
            | (get_byte(sha256(int8send(account) || uuid_send(contact)), 1) >> 6))::smallint;
  CREATE FUNCTION proof_micros(at timestamptz) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (extract(epoch FROM at) * 1000000)::bigint::text)";

// The workflow waits for 30 days, twice.
constexpr std::string_view kWait = "interval '720 hours'";

std::string create(const Fleet& fleet, const std::string& key, std::string path, std::string body) {
  const Answer answer =
      ask_once(fleet, 0, key, {.method = "POST", .path = std::move(path), .body = std::move(body)});
  if (!succeeded(answer))
    throw std::runtime_error{std::format("setup failed: {} {}", answer.status, answer.body)};
  return member_of(answer.body, "id").value_or("");
}

void create_workflow(const Fleet& fleet, const std::string& key) {
  const std::string integration =
      create(fleet, key, "/custom-integrations/", R"({"name":"Proof"})");
  create(fleet, key, std::format("/custom-integrations/{}/custom-event-types/", integration),
         R"({"name":"Ring","direction":"receive","alias":"ring",
             "fields":[{"id":"cartId","name":"Cart","type":"text"}]})");
  const std::string workflow = create(fleet, key, "/manage/workflows/", R"({
    "alias":"wait","name":"Wait","trigger":{"event":"custom.ring","key":"event.data.cartId"},
    "nodes":[{"id":"first","type":"wait","for":"P30D","next":"second"},
             {"id":"second","type":"wait","for":"P30D"}]})");
  create(fleet, key, std::format("/manage/workflows/{}/publish", workflow), "");
}

double number(const pg::Row& row, const char* column) { return std::stod(row.text(column)); }

}  // namespace

void WaitingRuns::record_commit_times(testing::Installation& installation) {
  {
    pg::Script database{installation.admin_url()};
    database.run("ALTER SYSTEM SET track_commit_timestamp = on");
  }
  installation.crash_database();
  installation.resume_database();
}

WaitingRuns::WaitingRuns(testing::Installation& installation, const Fleet& fleet,
                         std::size_t accounts, const std::vector<std::string>& keys)
    : admin_url_{installation.admin_url()}, database_{admin_url_} {
  database_.run(kFunctions);
  began_ = database_.query("SELECT now()::text AS now")[0].text("now");
  for (std::size_t i = 0; i < accounts; ++i) {
    api_keys_.push_back(installation.create_unlimited_key(std::format("Timers {}", i)));
    create_workflow(fleet, api_keys_.back());
    for (const auto& key : keys)
      for (const auto contact : {kModel, kWitness})
        create(fleet, api_keys_.back(), "/custom-events/alias/ring?createContact=true",
               std::format(R"({{"contact":{{"externalId":"{}"}},"payload":{{"cartId":"{}"}}}})",
                           contact, key));
  }
  const pg::Result found = database_.query("SELECT account_id FROM workflow ORDER BY account_id");
  for (std::size_t i = 0; i < found.size(); ++i)
    accounts_.push_back(found[i].integer("account_id"));
  const auto wanted = static_cast<std::int64_t>(2 * accounts * keys.size());
  for (const auto until = Steady::now() + 60s;;) {
    if (database_.query("SELECT count(*) AS runs FROM run")[0].integer("runs") == wanted) return;
    if (Steady::now() > until) throw std::runtime_error{"the service does not start the runs"};
    std::this_thread::sleep_for(50ms);
  }
}

// Several sessions at a time, each with its own accounts.
void WaitingRuns::for_each_account(
    const std::function<void(pg::Script&, std::int64_t)>& work) const {
  std::vector<std::exception_ptr> failures(kSessions);
  std::vector<std::jthread> threads;
  for (std::size_t session = 0; session < kSessions; ++session)
    threads.emplace_back([&, session] {
      try {
        pg::Script database{admin_url_};
        for (std::size_t i = session; i < accounts_.size(); i += kSessions)
          work(database, accounts_[i]);
      } catch (...) {
        failures[session] = std::current_exception();
      }
    });
  threads.clear();
  for (const auto& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

void WaitingRuns::load_contacts(std::int64_t contacts) {
  for_each_account([&](pg::Script& database, std::int64_t account) {
    for (std::int64_t from = 1; from <= contacts; from += kChunk)
      database.run(std::format(
          "INSERT INTO contact (account_id, contact_id, lane, external_id, created_at, updated_at) "
          "SELECT {0}, id, proof_lane({0}, id), 'person-' || n, now(), now() FROM (SELECT n, "
          "proof_contact(n) AS id FROM generate_series({1}::bigint, {2}) n) person",
          account, from, std::min(from + kChunk - 1, contacts)));
  });
}

// Copies the model's run, enrolment and timer. They have other contacts, ids and times.
std::string WaitingRuns::load_statement(std::int64_t account, const RunSet& set,
                                        const std::string& base) const {
  const std::int64_t share = set.runs / static_cast<std::int64_t>(accounts_.size());
  return std::format(
      R"(
    WITH model AS (
      SELECT r.*, e.seen AS enrolled_seen, e.ended_at FROM run r
        JOIN contact c USING (account_id, contact_id)
        JOIN enrolment e USING (account_id, contact_id, workflow_id, run_id)
       WHERE account_id = {0} AND c.external_id = '{1}' AND r.key = '{2}'
    ), person AS (
      SELECT proof_contact(n) AS contact_id,
             timestamptz '{3}' + {4} * ((n - {5})::float8 / {6}) * interval '1 ms' - {8} AS at
        FROM generate_series({5}::bigint, {7}) n
    ), made AS (
      INSERT INTO run (account_id, contact_id, run_id, workflow_id, version, lane, state, node, seq,
                       key, enrolment_key, started_at, node_since, due_at, timer_at, trigger_at,
                       trigger_id, trigger_data, schedule_date, visits, message_id, delivery_id,
                       has_sent, converted, data, seen, trail, why)
      SELECT m.account_id, p.contact_id, gen_random_uuid(), m.workflow_id, m.version,
             proof_lane(m.account_id, p.contact_id), m.state, m.node, m.seq, m.key,
             m.enrolment_key, p.at, p.at, p.at + {8}, p.at + {8}, p.at, m.trigger_id,
             m.trigger_data, m.schedule_date, m.visits, m.message_id, m.delivery_id, m.has_sent,
             m.converted, m.data, m.seen,
             replace(m.trail, proof_micros(m.started_at), proof_micros(p.at)), m.why
        FROM model m CROSS JOIN person p
      RETURNING account_id, contact_id, run_id, workflow_id, lane, enrolment_key, started_at, due_at
    ), enrolled AS (
      INSERT INTO enrolment (account_id, contact_id, workflow_id, key, lane, run_id, started_at,
                             ended_at, seen)
      SELECT d.account_id, d.contact_id, d.workflow_id, d.enrolment_key, d.lane, d.run_id,
             d.started_at, m.ended_at, m.enrolled_seen
        FROM made d CROSS JOIN model m
    )
    INSERT INTO timer (lane_group, due_at, owner_id, account_id, contact_id)
    SELECT lane >> 4, due_at, run_id, account_id, contact_id FROM made)",
      account, kModel, set.key, base, set.over.count(), next_contact_,
      std::max<std::int64_t>(share, 1), next_contact_ + share - 1, kWait);
}

std::string WaitingRuns::load(const std::vector<RunSet>& sets, std::chrono::milliseconds lead) {
  const auto from = Steady::now();
  const std::string base =
      database_
          .query(
              std::format("SELECT (now() + {} * interval '1 ms')::text AS base", lead.count()))[0]
          .text("base");
  std::int64_t loaded = 0;
  for (const auto& set : sets) {
    progress(std::format("timers: loading {} runs of {}", set.runs, set.key));
    RunSet shifted = set;
    const std::string first =
        database_
            .query(std::format("SELECT (timestamptz '{}' + {} * interval '1 ms')::text AS first",
                               base, set.after.count()))[0]
            .text("first");
    for_each_account([&](pg::Script& database, std::int64_t account) {
      database.run(load_statement(account, shifted, first));
    });
    next_contact_ += set.runs / static_cast<std::int64_t>(accounts_.size());
    loaded += set.runs;
  }
  const auto took = Steady::now() - from;
  if (loaded_per_second_ == 0)
    loaded_per_second_ = static_cast<double>(loaded) / std::chrono::duration<double>(took).count();
  if (took + 2s > lead) throw std::runtime_error{"loading the runs took longer than expected"};
  // The owner of lanes has read its timers some seconds ahead. A new owner reads them again.
  database_.run("UPDATE lane_owner SET owner = NULL WHERE reader = 'automation'");
  return base;
}

std::int64_t WaitingRuns::differences(const std::string& key) {
  // The witness has one run with the key in each account.
  const std::string sample = std::format(
      "SELECT account_id, contact_id FROM contact WHERE external_id = '{}' UNION ALL (SELECT "
      "r.account_id, r.contact_id FROM run r WHERE r.key = '{}' AND r.started_at < timestamptz "
      "'{}' - interval '1 hour' LIMIT 200)",
      kWitness, key, began_);
  return database_
      .query(std::format(
          R"(
    WITH sample AS MATERIALIZED ({}), run_of AS MATERIALIZED (
      SELECT r.* FROM sample s JOIN run r USING (account_id, contact_id) WHERE r.key = '{}'
    ), shown AS (
      SELECT account_id, 'run' AS of,
             to_jsonb(r) - '{{contact_id,run_id,lane,started_at,node_since,due_at,timer_at,trail,
                              trigger_at,trigger_id}}'::text[]
             || jsonb_build_object('trail', replace(trail, proof_micros(started_at), ''),
                  'waits', extract(epoch FROM due_at - started_at), 'armed', timer_at = due_at,
                  'since', node_since = started_at, 'trigger', num_nulls(trigger_at, trigger_id),
                  'in_lane', lane = proof_lane(account_id, contact_id)) AS columns
        FROM run_of r
      UNION ALL
      SELECT account_id, 'enrolment',
             to_jsonb(e) - '{{contact_id,run_id,lane,started_at}}'::text[]
             || jsonb_build_object('in_lane', e.lane = r.lane, 'since', e.started_at = r.started_at)
        FROM run_of r JOIN enrolment e USING (account_id, contact_id, workflow_id, run_id)
      UNION ALL
      SELECT r.account_id, 'timer',
             coalesce(to_jsonb(t) - '{{lane_group,due_at,owner_id,contact_id}}'::text[], '{{}}')
             || jsonb_build_object('armed', t.owner_id IS NOT NULL)
        FROM run_of r
        LEFT JOIN timer t ON t.lane_group = r.lane >> 4 AND t.due_at = r.due_at
                         AND t.owner_id = r.run_id AND t.contact_id = r.contact_id
    )
    SELECT require((SELECT count(*) FROM run_of) > (SELECT count(DISTINCT account_id) FROM run_of), 'SB001', 'no loaded rows to compare'), count(*) AS columns
      FROM (SELECT FROM shown, jsonb_each(columns) AS c (name, value)
             GROUP BY account_id, of, name HAVING count(DISTINCT value) > 1) different)",
          sample, key))[0]
      .integer("columns");
}

std::int64_t WaitingRuns::moved() {
  return database_
      .query(
          "SELECT coalesce(sum(people), 0)::bigint AS people FROM workflow_number WHERE node = "
          "'second' AND counter = 'waiting'")[0]
      .integer("people");
}

FiredTimers WaitingRuns::fired(const std::string& key) {
  const pg::Result found = database_.query(std::format(
      R"(
    SELECT count(*) AS runs, count(*) FILTER (WHERE fired) AS fired,
           count(*) FILTER (WHERE fired AND (at < due OR node_since < due)) AS early,
           count(*) FILTER (WHERE CASE WHEN fired THEN (seq, visits, state, due_at, timer_at)
                                                       <> (2, 2, 'open', node_since + {0}, due_at)
                                       ELSE (seq, visits, state, due_at, timer_at)
                                            <> (1, 1, 'open', due, due) END) AS wrong,
           coalesce(extract(epoch FROM percentile_disc(0.99) WITHIN GROUP (ORDER BY at - due)
                                         FILTER (WHERE fired)), 0)::text AS p99,
           coalesce(extract(epoch FROM max(at) FILTER (WHERE fired) - min(due)), 0)::text AS drained
      FROM (SELECT r.*, node = 'second' AS fired, started_at + {0} AS due,
                   pg_xact_commit_timestamp(r.xmin) AS at
              FROM run r
             WHERE key = '{1}' AND started_at < timestamptz '{2}' - interval '1 hour') x)",
      kWait, key, began_));
  const pg::Row row = found[0];
  return {.runs = row.integer("runs"),
          .fired = row.integer("fired"),
          .early = row.integer("early"),
          .wrong = row.integer("wrong"),
          .p99_s = number(row, "p99"),
          .drained_s = number(row, "drained")};
}

WaitingRuns::Started WaitingRuns::started(const std::string& prefix) {
  const pg::Result found = database_.query(std::format(
      "SELECT count(*) AS runs, coalesce(extract(epoch FROM percentile_disc(0.99) WITHIN GROUP "
      "(ORDER BY pg_xact_commit_timestamp(r.xmin) - pg_xact_commit_timestamp(xid(e.xid)))), "
      "0)::text AS p99 FROM run r JOIN event e ON e.account_id = r.account_id AND e.received_at = "
      "r.trigger_at AND e.id = r.trigger_id WHERE r.key LIKE '{}%'",
      prefix));
  return {.runs = found[0].integer("runs"), .p99_s = number(found[0], "p99")};
}

}  // namespace shopbell::proofs
