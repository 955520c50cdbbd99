#include "resources/exports/export_query.h"

#include <algorithm>
#include <format>
#include <ranges>

#include "base/limits.h"
#include "events/event_kinds.h"
#include "pg/snapshot.h"
#include "resources/exports/conditions.h"
#include "resources/exports/report_query.h"
#include "resources/exports/statements.h"

namespace shopbell::exports {

namespace {

using pg::Snapshot;

bool fits(const Export& request, const Column& column) {
  return !(request.is_ndjson() ? column.value : column.cell).empty();
}

std::string cells(const Export& request, const std::vector<Column>& columns) {
  std::string list;
  for (const auto& column : columns) {
    const bool guard = column.guarded && !request.raw_text;
    const std::string cell =
        guard ? pg::fill(sql::guarded_cell, {{"cell", column.cell}}) : column.cell;
    list += std::format("{}{} AS {}", list.empty() ? "" : ", ", cell,
                        Snapshot::quote_name(column.name));
  }
  return list;
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
  Conditions where;
  std::string order;
  // With a watermark: the column that identifies a row, and the condition that the row is deleted.
  std::string key;
  std::string gone = "false";
};

Conditions of_account(std::string_view alias, std::int64_t account) {
  return Conditions{std::format("{}.account_id = {}", alias, account)};
}

// The condition that transaction `xid` committed after the snapshot of the watermark was taken.
std::string later_than(const Filters& filters, std::string xid) {
  const Moment then = moment_in(*filters.since).value_or(Moment{.snapshot = "0:0:"});
  return pg::fill(sql::changed_later, {{"xid", std::move(xid)},
                                       {"oldest", then.snapshot.substr(0, then.snapshot.find(':'))},
                                       {"snapshot", then.snapshot}});
}

std::string changed_since(const Filters& filters, std::int64_t account) {
  return of_account("e", account).add(later_than(filters, "e.xid")).sql();
}

// Restricts the source to rows whose ids the query `changed` returns as w.id.
void narrow(Source& source, std::string changed, const std::string& id, std::string key) {
  source.from = pg::fill(sql::changed_rows, {{"changed", std::move(changed)},
                                             {"source", source.from},
                                             {"id", id},
                                             {"where", source.where.sql()}});
  source.where = Conditions{"true"};
  source.order = "w.id";
  source.key = std::move(key);
  source.gone = id + " IS NULL";
}

Source contacts(const Filters& filters, std::int64_t account) {
  Source source{"contact c", of_account("c", account), "c.contact_id"};
  source.where.instant("c.updated_at >", filters.updated_after)
      .equal("c.email_subscription", filters.email_subscription)
      .equal("c.sms_subscription", filters.sms_subscription);
  if (!filters.tags.empty()) source.where.add("c.tags @> " + Snapshot::quote(filters.tags));
  source.where.contact("c.contact_id", filters.contact);
  if (filters.since)
    narrow(source,
           pg::fill(sql::changed_contacts, {{"handover", Snapshot::quote(events::kHandover)},
                                            {"changed", changed_since(filters, account)}}),
           "c.contact_id", "id");
  return source;
}

Source products(const Filters& filters, std::int64_t account) {
  Source source{"product p", of_account("p", account), "p.product_id"};
  source.where.instant("p.updated_at >", filters.updated_after)
      .any_of("p.data->>'availability'", filters.availability);
  if (!filters.categories.empty())
    source.where.add(
        pg::fill(sql::in_categories, {{"categories", Snapshot::quote(filters.categories)}}));
  if (filters.since)
    narrow(source, pg::fill(sql::changed_products, {{"changed", changed_since(filters, account)}}),
           "p.store_id", "productId");
  return source;
}

Source purchases(const Filters& filters, std::int64_t account, bool by_line) {
  Source source{"purchase p", of_account("p", account), "p.purchase_id"};
  source.where.instant("p.purchased_at >=", filters.from)
      .instant("p.purchased_at <", filters.to)
      .any_of("p.status", filters.status)
      .contact("p.contact_id", filters.contact);
  if (filters.since)
    narrow(source,
           pg::fill(sql::changed_purchases, {{"changed", changed_since(filters, account)},
                                             {"account", account},
                                             {"moved", later_than(filters, "q.moved_xid")},
                                             {"attributed", later_than(filters, "a.xid")}}),
           "p.store_id", "purchaseId");
  source.from = pg::fill(sql::with_buyer, {{"purchases", source.from}});
  if (by_line) {
    source.from = pg::fill(sql::with_lines, {{"purchases", source.from}});
    source.order += ", l.n";
  }
  return source;
}

Source coupons(const Filters& filters, std::int64_t account) {
  Source source{pg::fill(sql::coupons, {}), of_account("c", account), "c.number"};
  source.where.equal_uuid("c.coupon_set_id", filters.coupon_set.value_or(""));
  if (filters.state == "available") source.where.add("NOT c.redeemed AND c.claim_id IS NULL");
  if (filters.state == "assigned") source.where.add("NOT c.redeemed AND c.claim_id IS NOT NULL");
  if (filters.state == "redeemed") source.where.add("c.redeemed");
  return source;
}

Source activities(const Filters& filters, std::int64_t account) {
  Source source{"event e", of_account("e", account).add(events::kShownOutside),
                "e.received_at, e.id"};
  source.where.instant("e.occurred_at >=", filters.from);
  // An event is received at most kEventAhead before it occurs, so that earlier partitions are
  // skipped.
  if (filters.from) source.where.instant("e.received_at >=", *filters.from - limits::kEventAhead);
  source.where.instant("e.occurred_at <", filters.to).any_of("e.kind", filters.kinds);
  if (filters.contact) source.where.add(of_contact(*filters.contact->id, account));
  if (filters.since) source.where.add(changed_since(filters, account));
  return source;
}

Source source_of(const Export& request, std::int64_t account, bool by_line) {
  if (request.type == "contacts") return contacts(request.filters, account);
  if (request.type == "products") return products(request.filters, account);
  if (request.type == "purchases") return purchases(request.filters, account, by_line);
  if (request.type == "coupons") return coupons(request.filters, account);
  if (request.is_report()) {
    const ReportRows report = report_rows(request, account);
    return {"(" + report.rows + ") AS r", Conditions{"true"}, report.order};
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
  return pg::fill(sql::copy_lines, {{"name", std::string{name}}, {"rows", rows}});
}

std::string of_contact(const std::string& id, std::int64_t account) {
  return pg::fill(sql::of_contact, {{"contact", Snapshot::quote(id)}, {"account", account}});
}

Statement statement_of(const Export& request, std::int64_t account,
                       const std::vector<Column>& columns) {
  const bool by_line = std::ranges::any_of(
      columns, [](const Column& column) { return column.name.starts_with(kLines); });
  const Source source = source_of(request, account, by_line);
  const auto shown = request.filters.since ? with_deleted(columns, source) : columns;
  const std::string rows =
      pg::fill(sql::rows, {{"columns", request.is_ndjson() ? values(shown) : cells(request, shown)},
                           {"from", source.from},
                           {"where", source.where.sql()},
                           {"order", source.order}});
  Statement statement{.header = !request.is_ndjson()};
  if (!by_line && !request.is_report()) statement.plain = rows;
  if (request.is_ndjson()) {
    statement.copy = lines_of(request.type, rows);
  } else {
    statement.copy = pg::fill(sql::copy_cells, {{"name", request.type},
                                                {"rows", rows},
                                                {"delimiter", Snapshot::quote(request.delimiter)}});
  }
  return statement;
}

}  // namespace shopbell::exports
