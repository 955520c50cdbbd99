#include "tests/proofs/actors/log_sink.h"

#include <algorithm>
#include <format>
#include <map>
#include <optional>

namespace shopbell::proofs {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view kTold = "custom.ring";
constexpr std::string_view kChanged = "contact.updated";

// Compares the reader's effects with the ledger, contact by contact.
class Comparer {
 public:
  explicit Comparer(std::vector<LedgerEvent> ledger) : ledger_{std::move(ledger)} {
    std::ranges::sort(ledger_, {}, &LedgerEvent::uid);
    seen_.resize(ledger_.size());
  }

  void take(const SinkRow& row) {
    ++figures.rows;
    if (row.contact != contact_) begin(row.contact);
    if (row.sequence != ++rows_ && !gap_) {
      gap_ = true;
      ++figures.gaps;
      note(std::format("contact {}: number {} at position {}", row.contact, row.sequence, rows_));
    }
    if (row.kind == kChanged) {
      ++changes_;
      const std::int64_t number = row.contact_seq.value_or(0);
      if (number <= latest_change_) ++figures.disorder;
      latest_change_ = std::max(latest_change_, number);
    }
    if (row.kind == kTold) take_told(row.event);
  }

  void finish(std::int64_t changes) {
    for (std::size_t i = 0; i < ledger_.size(); ++i) {
      const bool certain = ledger_[i].acknowledged != 0;
      if (certain && seen_[i] == 0) {
        ++figures.lost;
        note(std::format("lost: {}", ledger_[i].uid.to_string()));
      }
      if (seen_[i] > 1) ++figures.doubled;
    }
    figures.lost += std::max<std::int64_t>(0, changes - changes_);
    figures.doubled += std::max<std::int64_t>(0, changes_ - changes);
  }

  SinkFigures figures;

 private:
  void begin(const std::string& contact) {
    contact_ = contact;
    rows_ = latest_change_ = latest_began_ = 0;
    gap_ = false;
    lines_.clear();
  }

  void take_told(const Uuid& uid) {
    const auto found = std::ranges::lower_bound(ledger_, uid, {}, &LedgerEvent::uid);
    if (found == ledger_.end() || found->uid != uid) {
      ++figures.unasked;
      note(std::format("unasked: {}", uid.to_string()));
      return;
    }
    ++seen_[static_cast<std::size_t>(found - ledger_.begin())];
    if (found->acknowledged == 0) return;
    bool inverted = found->acknowledged < latest_began_;
    latest_began_ = std::max(latest_began_, found->began);
    // Events in one request must keep the order of their lines.
    if (found->request != 0) {
      auto& line = lines_[found->request];
      inverted = inverted || found->line + 1 <= line;
      line = std::max(line, found->line + 1);
    }
    if (!inverted) return;
    ++figures.inversions;
    note(std::format("out of order: {} of contact {}", uid.to_string(), contact_));
  }

  void note(std::string example) {
    if (figures.examples.size() < 5) figures.examples.push_back(std::move(example));
  }

  std::vector<LedgerEvent> ledger_;  // the expected events, ordered by uid
  std::vector<int> seen_;
  std::int64_t changes_ = 0;
  // The state of the contact that is being compared.
  std::string contact_;
  std::int64_t rows_ = 0;
  std::int64_t latest_change_ = 0;
  std::int64_t latest_began_ = 0;
  std::map<std::size_t, std::size_t> lines_;  // request → its latest line, counted from 1
  bool gap_ = false;
};

}  // namespace

SinkFigures compare_rows(std::vector<LedgerEvent> ledger, std::int64_t changes,
                         const std::vector<SinkRow>& rows) {
  Comparer comparer{std::move(ledger)};
  for (const auto& row : rows) comparer.take(row);
  comparer.finish(changes);
  return std::move(comparer.figures);
}

SinkFigures compare_sink(std::vector<LedgerEvent> ledger, std::int64_t changes,
                         pg::Script& database, const std::string& webhook) {
  std::vector<SinkRow> all;
  database.run(
      "BEGIN; DECLARE sink NO SCROLL CURSOR FOR "
      "SELECT d.event_uid, d.contact_id, d.sequence, d.kind, e.contact_seq FROM webhook_delivery d "
      "LEFT JOIN event e ON e.account_id = d.account_id AND e.received_at = d.received_at "
      "AND e.id = d.event_id " +
      (webhook.empty() ? "" : std::format("WHERE d.webhook_id = '{}' ", webhook)) +
      "ORDER BY d.contact_id, d.sequence");
  while (true) {
    const pg::Result rows = database.query("FETCH 20000 FROM sink");
    for (std::size_t i = 0; i < rows.size(); ++i)
      all.push_back({.event = rows[i].uuid("event_uid"),
                     .kind = rows[i].text("kind"),
                     .contact = rows[i].text("contact_id"),
                     .sequence = rows[i].integer("sequence"),
                     .contact_seq = rows[i].maybe_integer("contact_seq")});
    if (rows.empty()) break;
  }
  database.run("COMMIT");
  return compare_rows(std::move(ledger), changes, all);
}

// Every lane's tick must show all transactions committed so far.
std::chrono::steady_clock::duration await_webhook_reader(pg::Script& database,
                                                         std::chrono::seconds limit) {
  const auto since = std::chrono::steady_clock::now();
  const pg::Result now =
      database.query("SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS xid");
  const std::string query = std::format(
      "SELECT coalesce(bool_and(coalesce(pg_snapshot_xmin(t.shows) >= '{}'::xid8, false)), false)"
      " AS done FROM log_position p LEFT JOIN log_tick t ON t.tick = p.tick "
      "WHERE p.reader = 'webhooks'",
      now[0].text("xid"));
  while (!database.query(query)[0].boolean("done") &&
         std::chrono::steady_clock::now() < since + limit)
    std::this_thread::sleep_for(50ms);
  return std::chrono::steady_clock::now() - since;
}

struct RivalReaders::Place {
  std::int64_t start_id = 0;
  std::int64_t last_id = 0;
  std::string looked_at;  // server time of the last read; new rows are at most a little older
  std::string last_xid;
  std::int64_t last_xid_id = 0;
  std::map<std::string, std::int64_t> changes;  // contact → its latest sequence
};

RivalReaders::RivalReaders(std::string admin_url) : admin_url_{std::move(admin_url)} {
  thread_ = std::jthread{[this](const std::stop_token& stopping) { run(stopping); }};
}

void RivalReaders::stop() {
  thread_.request_stop();
  thread_.join();
}

void RivalReaders::read(pg::Script& database, Place& place) {
  // The time condition only limits the scan; no transaction of this proof stays open that long.
  const pg::Result ids = database.query(std::format(
      "SELECT count(*) AS n, coalesce(max(id), {0}) AS last, clock_timestamp()::text AS now "
      "FROM event WHERE id > {0} AND account_id IN (SELECT account_id FROM account) "
      "AND received_at > '{1}'::timestamptz - interval '5 seconds'",
      place.last_id, place.looked_at));
  read_by_id += ids[0].integer("n");
  place.last_id = ids[0].integer("last");
  place.looked_at = ids[0].text("now");

  const pg::Result rows = database.query(
      std::format("SELECT xid::text AS number, id, contact_id, contact_seq FROM event "
                  "WHERE xid >= '{0}'::xid8 AND (xid, id) > ('{0}'::xid8, {1}) "
                  "AND xid < pg_snapshot_xmin(pg_current_snapshot()) ORDER BY xid, id",
                  place.last_xid, place.last_xid_id));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto number = rows[i].maybe_integer("contact_seq");
    if (!number) continue;
    auto& latest = place.changes[rows[i].text("contact_id")];
    if (*number < latest) ++inverted_by_transaction;
    latest = std::max(latest, *number);
  }
  if (rows.empty()) return;
  read_by_transaction += static_cast<std::int64_t>(rows.size());
  place.last_xid = rows[rows.size() - 1].text("number");
  place.last_xid_id = rows[rows.size() - 1].integer("id");
}

void RivalReaders::run(const std::stop_token& stopping) {
  Place place;
  std::optional<pg::Script> database;
  while (!stopping.stop_requested()) {
    try {
      if (!database) database.emplace(admin_url_);
      if (place.looked_at.empty()) {
        const pg::Result now = database->query(
            "SELECT last_value AS id, clock_timestamp()::text AS now, "
            "pg_snapshot_xmax(pg_current_snapshot())::text AS xid FROM event_id_seq");
        place.start_id = place.last_id = now[0].integer("id");
        place.looked_at = now[0].text("now");
        place.last_xid = now[0].text("xid");
      }
      read(*database, place);
    } catch (const pg::Error&) {  // PostgreSQL is restarting
      database.reset();
    }
    std::this_thread::sleep_for(100ms);
  }
  pg::Script last{admin_url_};
  const std::int64_t there =
      last.query(std::format("SELECT count(*) AS n FROM event WHERE id > {} AND id <= {}",
                             place.start_id, place.last_id))[0]
          .integer("n");
  lost_by_id = there - read_by_id;
}

}  // namespace shopbell::proofs
