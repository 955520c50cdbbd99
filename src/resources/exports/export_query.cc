#include "resources/exports/export_query.h"

#include <algorithm>
#include <format>
#include <ranges>

#include "base/limits.h"
#include "events/event_kinds.h"
#include "pg/group.h"
#include "pg/snapshot.h"
#include "resources/exports/report_query.h"

namespace shopbell::exports {

namespace {

using pg::Snapshot;

std::string instant(Instant at) { return Snapshot::quote(*pg::parameter(at)) + "::timestamptz"; }

bool fits(const Export& request, const Column& column) {
  return !(request.is_ndjson() ? column.value : column.cell).empty();
}

// Prevents formula injection: a cell that begins with a formula sign (also full-width), a tab or a
// line break gets a leading apostrophe.
std::string guarded(const std::string& cell) {
  return std::format(
      "CASE WHEN ascii({0}) IN (9, 10, 13, 43, 45, 61, 64, 65291, 65293, 65309, 65312) THEN '''' "
      "|| ({0}) ELSE {0} END",
      cell);
}

std::string cells(const Export& request, const std::vector<Column>& columns) {
  std::string sql;
  for (const auto& column : columns) {
    const bool guard = column.guarded && !request.raw_text;
    sql +=
        std::format("{}{} AS {}", sql.empty() ? "" : ", ",
                    guard ? guarded(column.cell) : column.cell, Snapshot::quote_name(column.name));
  }
  return sql;
}

// Builds nested objects: `a.b` and `a.c` share one. PostgreSQL functions take up to 100 arguments.
std::string object_of(std::string_view prefix, const std::vector<Column>& columns) {
  constexpr std::size_t kPairs = 40;
  std::string sql = "jsonb_strip_nulls(";
  std::size_t pairs = 0;
  for (const auto& column : columns) {
    if (!column.name.starts_with(prefix)) continue;
    sql += pairs == 0            ? "jsonb_build_object("
           : pairs % kPairs == 0 ? ") || jsonb_build_object("
                                 : ", ";
    sql += Snapshot::quote(column.name.substr(prefix.size())) + ", " + column.value;
    ++pairs;
  }
  return sql + "))";
}

std::string values(const std::vector<Column>& columns) {
  std::string sql;
  std::vector<std::string> seen;
  for (const auto& column : columns) {
    const auto dot = column.name.find('.');
    const std::string name = column.name.substr(0, dot);
    if (std::ranges::contains(seen, name)) continue;
    seen.push_back(name);
    const std::string value =
        dot == std::string::npos ? column.value : object_of(name + ".", columns);
    sql += std::format("{}{} AS {}", sql.empty() ? "" : ", ", value, Snapshot::quote_name(name));
  }
  return sql;
}

// The FROM, WHERE and ORDER BY clauses that select the rows of a type.
struct Source {
  std::string from;
  std::string where;
  std::string order;
  // With a watermark: the column that identifies a row, and the condition that the row is deleted.
  std::string key;
  std::string gone = "false";

  Source& require(const std::string& condition) {
    where += " AND " + condition;
    return *this;
  }
};

// The condition that transaction `xid` is not visible in the snapshot of the watermark. The first
// comparison, with the oldest transaction of the snapshot, can use an index.
std::string later_than(const Filters& filters, std::string_view xid) {
  const Moment then = moment_in(*filters.since).value_or(Moment{.snapshot = "0:0:"});
  const std::string oldest = then.snapshot.substr(0, then.snapshot.find(':'));
  return std::format("{0} >= '{1}'::xid8 AND NOT pg_visible_in_snapshot({0}, '{2}'::pg_snapshot)",
                     xid, oldest, then.snapshot);
}

std::string changed_since(const Filters& filters, std::int64_t account) {
  return std::format("e.account_id = {} AND {}", account, later_than(filters, "e.xid"));
}

// Restricts the source to rows whose ids the query `changed` returns as w.id. Rows that do not
// match the source, or no longer exist, count as deleted.
void narrow(Source& source, const std::string& changed, const std::string& id, std::string key) {
  source.from = std::format("({}) AS w (id) LEFT JOIN {} ON {} = w.id AND {}", changed, source.from,
                            id, source.where);
  source.where = "true";
  source.order = "w.id";
  source.key = std::move(key);
  source.gone = id + " IS NULL";
}

Source contacts(const Filters& filters, std::int64_t account) {
  Source source{"contact c", std::format("c.account_id = {}", account), "c.contact_id"};
  if (filters.updated_after) source.require("c.updated_at > " + instant(*filters.updated_after));
  if (filters.email_subscription)
    source.require("c.email_subscription = " + Snapshot::quote(*filters.email_subscription));
  if (filters.sms_subscription)
    source.require("c.sms_subscription = " + Snapshot::quote(*filters.sms_subscription));
  if (!filters.tags.empty()) source.require("c.tags @> " + Snapshot::quote(filters.tags));
  if (filters.contact)
    source.require(std::format("c.contact_id = {}::uuid", Snapshot::quote(*filters.contact->id)));
  if (filters.since)
    // Purchases change the totals of their buyer. A handover event means that a contact was merged.
    narrow(source,
           "SELECT DISTINCT e.contact_id FROM event e WHERE e.contact_id IS NOT NULL AND (e.kind "
           "LIKE 'contact.%' OR e.kind LIKE 'purchase.%' OR e.kind = " +
               Snapshot::quote(events::kHandover) + ") AND " + changed_since(filters, account),
           "c.contact_id", "id");
  return source;
}

Source products(const Filters& filters, std::int64_t account) {
  Source source{"product p", std::format("p.account_id = {}", account), "p.product_id"};
  if (filters.updated_after) source.require("p.updated_at > " + instant(*filters.updated_after));
  if (!filters.availability.empty())
    source.require(
        std::format("p.data->>'availability' = ANY ({})", Snapshot::quote(filters.availability)));
  if (!filters.categories.empty())
    source.require(std::format(
        "EXISTS (SELECT FROM jsonb_array_elements_text(p.data->'categories') AS e (v), unnest({}) "
        "AS w (c) WHERE e.v = w.c OR starts_with(e.v, w.c || '/'))",
        Snapshot::quote(filters.categories)));
  if (filters.since)
    narrow(source,
           "SELECT DISTINCT e.subject FROM event e WHERE e.kind LIKE 'product.%' AND " +
               changed_since(filters, account),
           "p.store_id", "productId");
  return source;
}

// Selects purchases with new events, purchases that moved to another contact or to none, and those
// of contacts with a new email or externalId, because the rows contain these identifiers.
std::string changed_purchases(const Filters& filters, std::int64_t account) {
  return std::format(
      "SELECT e.subject FROM event e WHERE e.kind LIKE 'purchase.%' AND {0} UNION SELECT "
      "q.store_id FROM purchase q WHERE q.account_id = {1} AND {2} UNION SELECT q.store_id FROM "
      "purchase q WHERE q.account_id = {1} AND q.contact_id IN (SELECT e.contact_id FROM event e "
      "WHERE e.kind = 'contact.updated' AND e.payload->'changed' ?| '{{email,externalId}}' AND "
      "{0})",
      changed_since(filters, account), account, later_than(filters, "q.moved_xid"));
}

Source purchases(const Filters& filters, std::int64_t account, bool by_line) {
  Source source{"purchase p", std::format("p.account_id = {}", account), "p.purchase_id"};
  if (filters.from) source.require("p.purchased_at >= " + instant(*filters.from));
  if (filters.to) source.require("p.purchased_at < " + instant(*filters.to));
  if (!filters.status.empty())
    source.require(std::format("p.status = ANY ({})", Snapshot::quote(filters.status)));
  if (filters.contact)
    source.require(std::format("p.contact_id = {}::uuid", Snapshot::quote(*filters.contact->id)));
  if (filters.since)
    narrow(source, changed_purchases(filters, account), "p.store_id", "purchaseId");
  source.from +=
      " LEFT JOIN contact c ON c.account_id = p.account_id AND c.contact_id = p.contact_id";
  if (by_line) {
    source.from +=
        " LEFT JOIN LATERAL jsonb_array_elements(p.data->'lines') WITH ORDINALITY AS l (line, n) "
        "ON "
        "true";
    source.order += ", l.n";
  }
  return source;
}

Source coupons(const Filters& filters, std::int64_t account) {
  Source source{
      "coupon c JOIN coupon_set s ON s.account_id = c.account_id AND s.coupon_set_id = "
      "c.coupon_set_id LEFT JOIN coupon_claim k ON k.account_id = c.account_id AND k.claim_id = "
      "c.claim_id LEFT JOIN coupon_redemption r ON c.redeemed AND r.account_id = c.account_id AND "
      "r.code_key = c.code_key AND r.coupon_set_id = c.coupon_set_id",
      std::format("c.account_id = {} AND c.coupon_set_id = {}::uuid", account,
                  Snapshot::quote(filters.coupon_set.value_or(""))),
      "c.number"};
  if (filters.state == "available") source.require("NOT c.redeemed AND c.claim_id IS NULL");
  if (filters.state == "assigned") source.require("NOT c.redeemed AND c.claim_id IS NOT NULL");
  if (filters.state == "redeemed") source.require("c.redeemed");
  return source;
}

Source activities(const Filters& filters, std::int64_t account) {
  Source source{"event e", std::format("e.account_id = {} AND {}", account, events::kShownOutside),
                "e.received_at, e.id"};
  if (filters.from) {
    source.require("e.occurred_at >= " + instant(*filters.from));
    // An event is received at most kEventAhead before it occurs, so that earlier partitions are
    // skipped.
    source.require("e.received_at >= " + instant(*filters.from - limits::kEventAhead));
  }
  if (filters.to) source.require("e.occurred_at < " + instant(*filters.to));
  if (!filters.kinds.empty())
    source.require(std::format("e.kind = ANY ({})", Snapshot::quote(filters.kinds)));
  if (filters.contact) source.require(of_contact(*filters.contact->id, account));
  if (filters.since) source.require(changed_since(filters, account));
  return source;
}

Source source_of(const Export& request, std::int64_t account, bool by_line) {
  if (request.type == "contacts") return contacts(request.filters, account);
  if (request.type == "products") return products(request.filters, account);
  if (request.type == "purchases") return purchases(request.filters, account, by_line);
  if (request.type == "coupons") return coupons(request.filters, account);
  if (request.is_report()) {
    const ReportRows report = report_rows(request, account);
    return {"(" + report.rows + ") AS r", "true", report.order};
  }
  return activities(request.filters, account);
}

std::vector<Column> known_columns(const Export& request) {
  return request.is_report() ? report_columns(request) : columns_of(request.type);
}

// Adds the columns of the key and of `deleted`. A deleted row has no other values.
std::vector<Column> with_deleted(std::vector<Column> columns, const Source& source) {
  if (!source.key.empty()) {
    const auto key = std::ranges::find(columns, source.key, &Column::name);
    const Column known{source.key, "w.id", "w.id", source.key != "id"};
    if (key == columns.end()) {
      columns.insert(columns.begin(), known);
    } else {
      *key = known;
    }
  }
  columns.push_back({"deleted", std::format("({})::text", source.gone), source.gone, false});
  return columns;
}

Column empty_column(const std::string& name) { return {name, "NULL", "NULL::jsonb", false}; }

}  // namespace

std::vector<Column> chosen_columns(const Export& request, const std::vector<OwnField>& own) {
  std::vector<Column> all;
  std::ranges::copy_if(known_columns(request), std::back_inserter(all),
                       [&](const Column& column) { return fits(request, column); });
  if (request.type == "contacts") std::ranges::transform(own, std::back_inserter(all), column_of);
  if (request.columns.empty()) return all;
  std::vector<Column> chosen;
  for (const auto& name : request.columns) {
    const auto found = std::ranges::find(all, name, &Column::name);
    chosen.push_back(found == all.end() ? empty_column(name) : *found);
  }
  return chosen;
}

std::vector<std::string> columns_without_contact(const Export& request) {
  std::vector<std::string> names;
  for (const auto& column : columns_of(request.type))
    if (fits(request, column) && !column.name.starts_with(kContact)) names.push_back(column.name);
  return names;
}

bool has_column(const Export& request, const std::string& name) {
  return std::ranges::any_of(known_columns(request), [&](const Column& column) {
    return column.name == name && fits(request, column);
  });
}

std::string lines_of(std::string_view name, const std::string& rows) {
  // JSON never contains the bytes 1 and 2. As quote and delimiter they make COPY quote nothing.
  return std::format(
      "/* exports.{} */ COPY (SELECT row_to_json(r)::text FROM ({}) AS r) TO STDOUT WITH (FORMAT "
      "csv, QUOTE E'\\x01', DELIMITER E'\\x02')",
      name, rows);
}

std::string of_contact(const std::string& id, std::int64_t account) {
  return std::format(
      "e.contact_id IN (SELECT {0}::uuid UNION ALL SELECT m.contact_id FROM merged_contact m WHERE "
      "m.account_id = {1} AND m.into_id = {0}::uuid)",
      Snapshot::quote(id), account);
}

Statement statement_of(const Export& request, std::int64_t account,
                       const std::vector<Column>& columns) {
  const bool by_line = std::ranges::any_of(
      columns, [](const Column& column) { return column.name.starts_with(kLines); });
  const Source source = source_of(request, account, by_line);
  const auto shown = request.filters.since ? with_deleted(columns, source) : columns;
  const std::string rows = std::format("SELECT {} FROM {} WHERE {} ORDER BY {}",
                                       request.is_ndjson() ? values(shown) : cells(request, shown),
                                       source.from, source.where, source.order);
  Statement statement{.header = !request.is_ndjson()};
  if (!by_line && !request.is_report()) statement.plain = rows;
  if (request.is_ndjson()) {
    statement.copy = lines_of(request.type, rows);
  } else {
    statement.copy =
        std::format("/* exports.{} */ COPY ({}) TO STDOUT WITH (FORMAT csv, HEADER, DELIMITER {})",
                    request.type, rows, Snapshot::quote(request.delimiter));
  }
  return statement;
}

}  // namespace shopbell::exports
