#include "resources/exports/report_query.h"

#include <format>
#include <stdexcept>

#include "base/limits.h"
#include "events/event_kinds.h"
#include "pg/snapshot.h"
#include "resources/exports/conditions.h"
#include "resources/exports/export_query.h"
#include "resources/exports/report_parts.h"
#include "resources/exports/report_workflows.h"
#include "resources/exports/statements.h"

namespace shopbell::exports {

namespace {

using pg::Snapshot;

std::string rounded(std::string number) {
  return pg::fill(sql::rounded, {{"number", std::move(number)}});
}

Column decimal(const std::string& name) {
  const std::string sql = std::format("trim_scale(r.{})::text", Snapshot::quote_name(name));
  return {name, sql, sql, false};
}

// Returns the SQL expression for a value of `groupBy`.
std::string group_source(std::string_view group) {
  if (group == "status") return "p.status";
  if (group == "source") return "e.source";
  if (group == "variantId") return "l.line->>'variantId'";
  return std::format("p.data->>'{}'", group);
}

// Return the groups as SQL: `, p.status AS "status"`, and `, "status"` or `, r."status"`.
std::string groups_defined(const Export& request) {
  std::string sql;
  for (const auto& group : request.group_by)
    sql += std::format(", {} AS {}", group_source(group), Snapshot::quote_name(group));
  return sql;
}
std::string groups_named(const Export& request, std::string_view of = "") {
  std::string sql;
  for (const auto& group : request.group_by)
    sql += std::format(", {}{}", of, Snapshot::quote_name(group));
  return sql;
}

Conditions of_purchases(const Export& request, std::int64_t account, const Time& time) {
  Conditions where{std::format("p.account_id = {}", account)};
  where.add(time.holds("p.purchased_at"))
      .any_of("p.status", request.filters.status)
      .any_of("p.currency", request.filters.currencies)
      .contact("p.contact_id", request.filters.contact);
  return where;
}

ReportRows purchases_over_time(const Export& request, std::int64_t account) {
  const Time time{request};
  const std::vector<std::string>& chosen = request.filters.currencies;
  const std::string currencies =
      chosen.empty() ? pg::fill(sql::counted_currencies, {{"account", account}})
                     : std::format("unnest({}) AS u (currency)", Snapshot::quote(chosen));
  const std::string source =
      request.group_by.empty()
          ? pg::fill(sql::every_currency, {{"periods", time.all()}, {"currencies", currencies}})
          : "counted";
  const std::string rows =
      pg::fill(sql::purchases_over_time, {{"period", time.period_of("p.purchased_at")},
                                          {"grouped", groups_defined(request)},
                                          {"where", of_purchases(request, account, time).sql()},
                                          {"groups", groups_named(request)},
                                          {"source", source},
                                          {"digits", digits_of("f.currency")},
                                          {"average", rounded("s.share")}});
  return {rows, "r.period" + groups_named(request, "r.") + ", r.currency"};
}

ReportRows products_sold(const Export& request, std::int64_t account) {
  const Time time{request};
  Conditions where = of_purchases(request, account, time);
  where.add("p.status <> 'cancelled'").any_of("l.line->>'productId'", request.filters.product_ids);
  const std::string rows =
      pg::fill(sql::products_sold, {{"period", time.period_of("p.purchased_at")},
                                    {"grouped", groups_defined(request)},
                                    {"where", where.sql()},
                                    {"groups", groups_named(request)},
                                    {"revenue", rounded("c.net")},
                                    {"refunded", rounded("c.back")},
                                    {"digits", digits_of("c.currency")},
                                    {"account", account}});
  return {rows, "r.period, r.\"productId\", r.\"productName\"" + groups_named(request, "r.") +
                    ", r.currency"};
}

ReportRows contacts_growth(const Export& request, std::int64_t account) {
  const Time time{request};
  const std::string rows =
      pg::fill(sql::contacts_growth, {{"from", time.from()},
                                      {"to", time.to()},
                                      {"period", time.period_of("e.received_at")},
                                      {"account", account},
                                      {"periods", time.all()}});
  return {rows, "r.period"};
}

ReportRows events_over_time(const Export& request, std::int64_t account) {
  const Time time{request};
  const Filters& filters = request.filters;
  // An event is received after it occurs, or at most kEventAhead before.
  Conditions where{std::format("e.account_id = {}", account)};
  where
      .add(std::format("e.received_at >= {} - interval '{} hours'", time.from(),
                       limits::kEventAhead.count()))
      .add(time.holds("e.occurred_at"))
      .add(events::kShownOutside)
      .any_of("e.kind", filters.kinds);
  if (filters.contact) where.add(of_contact(*filters.contact->id, account));
  const std::string counted =
      pg::fill(sql::events_over_time, {{"groups", groups_named(request)},
                                       {"period", time.period_of("e.occurred_at")},
                                       {"grouped", groups_defined(request)},
                                       {"account", account},
                                       {"where", where.sql()}});
  if (filters.kinds.empty() || !request.group_by.empty())
    return {counted, "r.period, r.kind" + groups_named(request, "r.")};
  const std::string rows = pg::fill(
      sql::events_of_kinds_over_time,
      {{"counted", counted}, {"periods", time.all()}, {"kinds", Snapshot::quote(filters.kinds)}});
  return {rows, "r.period, r.kind"};
}

}  // namespace

std::vector<Column> report_columns(const Export& request) {
  std::vector<Column> columns{plain("period")};
  if (request.report == "products-sold") {
    columns.push_back(words("productId"));
    columns.push_back({"name", "r.\"productName\"", "r.\"productName\"", true});
  }
  if (request.report == "events-over-time") columns.push_back(plain("kind"));
  for (const auto& group : request.group_by) columns.push_back(words(group));
  const auto add = [&](std::vector<Column> more) {
    columns.insert(columns.end(), more.begin(), more.end());
  };
  if (request.report == "purchases-over-time") {
    add({plain("currency"), plain("purchases"), plain("customers"), decimal("quantity"),
         amount("revenue"), amount("refunded"), amount("averageAmount"), plain("cancelled")});
  } else if (request.report == "products-sold") {
    add({plain("currency"), decimal("quantity"), decimal("refundedQuantity"), plain("purchases"),
         amount("revenue"), amount("refunded")});
  } else if (request.report == "contacts-growth") {
    add({plain("created"), plain("merged"), plain("deleted"), plain("emailSubscribed"),
         plain("emailUnsubscribed"), plain("smsSubscribed"), plain("smsUnsubscribed"),
         plain("total")});
  } else if (request.report == "workflow-performance") {
    add(workflow_performance_columns());
  } else if (request.report == "coupon-usage") {
    add(coupon_usage_columns());
  } else {
    add({plain("events"), plain("contacts")});
  }
  return columns;
}

ReportRows report_rows(const Export& request, std::int64_t account) {
  if (request.report == "purchases-over-time") return purchases_over_time(request, account);
  if (request.report == "products-sold") return products_sold(request, account);
  if (request.report == "contacts-growth") return contacts_growth(request, account);
  if (request.report == "events-over-time") return events_over_time(request, account);
  if (request.report == "workflow-performance") return workflow_performance(request, account);
  if (request.report == "coupon-usage") return coupon_usage(request, account);
  throw std::logic_error{"unknown report"};
}

}  // namespace shopbell::exports
