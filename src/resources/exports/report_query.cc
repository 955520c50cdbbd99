#include "resources/exports/report_query.h"

#include <format>
#include <stdexcept>

#include "base/limits.h"
#include "base/text.h"
#include "events/event_kinds.h"
#include "pg/group.h"
#include "pg/snapshot.h"
#include "resources/exports/export_query.h"
#include "resources/exports/report_parts.h"
#include "resources/exports/report_workflows.h"

namespace shopbell::exports {

namespace {

using pg::Snapshot;

// Returns SQL for the number of fraction digits of a currency. Builds the list of exceptions once.
std::string digits_of(std::string_view currency) {
  static const std::string exceptions = [] {
    std::string cases;
    std::string code = "AAA";
    for (code[0] = 'A'; code[0] <= 'Z'; ++code[0])
      for (code[1] = 'A'; code[1] <= 'Z'; ++code[1])
        for (code[2] = 'A'; code[2] <= 'Z'; ++code[2])
          if (const int digits = minor_digits(code); digits != 2)
            cases += std::format(" WHEN '{}' THEN {}", code, digits);
    return cases;
  }();
  return std::format("CASE {}{} ELSE 2 END", currency, exceptions);
}

// Rounds to the six fraction digits of decimals, half to even, as everywhere in the API.
std::string rounded(std::string_view number) {
  return std::format(
      "CASE WHEN abs({0} * 1000000 - trunc({0} * 1000000)) = 0.5 AND mod(trunc({0} * 1000000), 2) "
      "= 0 THEN trunc({0}, 6) ELSE round({0}, 6) END",
      number);
}

// A column for an amount as the API writes it: text with all digits, at least the currency's.
Column amount(const std::string& name) {
  const std::string sql =
      std::format("round(r.{0}, greatest(scale(trim_scale(r.{0})), r.digits))::text",
                  Snapshot::quote_name(name));
  return {name, sql, sql, false};
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

std::string of_purchases(const Export& request, std::int64_t account, const Time& time) {
  const Filters& filters = request.filters;
  std::string where =
      std::format("p.account_id = {} AND {}", account, time.holds("p.purchased_at"));
  if (!filters.status.empty())
    where += std::format(" AND p.status = ANY ({})", Snapshot::quote(filters.status));
  if (!filters.currencies.empty())
    where += std::format(" AND p.currency = ANY ({})", Snapshot::quote(filters.currencies));
  if (filters.contact)
    where += std::format(" AND p.contact_id = {}::uuid", Snapshot::quote(*filters.contact->id));
  return where;
}

// Counts purchases, except cancelled ones, as the totals of a contact do.
ReportRows purchases_over_time(const Export& request, std::int64_t account) {
  const Time time{request};
  const std::string groups = groups_named(request);
  const std::string counted = std::format(
      "SELECT {} AS period{}, p.currency, count(*) FILTER (WHERE p.status <> 'cancelled') AS "
      "purchases, count(DISTINCT p.contact_id) FILTER (WHERE p.status <> 'cancelled') AS "
      "customers, sum((p.data->>'quantity')::numeric) FILTER (WHERE p.status <> 'cancelled') AS "
      "quantity, sum(p.net_total) FILTER (WHERE p.status <> 'cancelled') AS revenue, "
      "sum((p.data->>'refundedTotal')::numeric) FILTER (WHERE p.status <> 'cancelled') AS "
      "refunded, count(*) FILTER (WHERE p.status = 'cancelled') AS cancelled FROM purchase p WHERE "
      "{} GROUP BY period{}, p.currency",
      time.period_of("p.purchased_at"), groups_defined(request),
      of_purchases(request, account, time), groups);
  // Every currency has a row for every period, even without sales.
  const std::string currencies =
      request.filters.currencies.empty()
          ? std::format(
                "(SELECT currency FROM account WHERE account_id = {} UNION SELECT currency "
                "FROM counted) AS u",
                account)
          : std::format("unnest({}) AS u (currency)", Snapshot::quote(request.filters.currencies));
  const std::string from =
      request.group_by.empty()
          ? std::format("{} CROSS JOIN {} LEFT JOIN counted USING (period, currency)", time.all(),
                        currencies)
          : "counted";
  const std::string rows = std::format(
      "WITH counted AS ({}), filled AS (SELECT period{}, currency, coalesce(purchases, 0) AS "
      "purchases, coalesce(customers, 0) AS customers, coalesce(quantity, 0) AS quantity, "
      "coalesce(revenue, 0) AS revenue, coalesce(refunded, 0) AS refunded, coalesce(cancelled, 0) "
      "AS cancelled FROM {}), shared AS (SELECT f.*, {} AS digits, f.revenue::numeric(60, 20) / "
      "nullif(f.purchases, 0) AS share FROM filled f) SELECT s.*, {} AS \"averageAmount\" FROM "
      "shared s",
      counted, groups, from, digits_of("f.currency"), rounded("s.share"));
  return {rows, "r.period" + groups_named(request, "r.") + ", r.currency"};
}

// Refunds name the lines they refund. A refunded purchase without refunds counts as fully refunded.
ReportRows products_sold(const Export& request, std::int64_t account) {
  const Time time{request};
  const std::string groups = groups_named(request);
  std::string where = of_purchases(request, account, time) + " AND p.status <> 'cancelled'";
  if (!request.filters.product_ids.empty())
    where += std::format(" AND l.line->>'productId' = ANY ({})",
                         Snapshot::quote(request.filters.product_ids));
  const auto refunded_sum = [](std::string_view member) {  // evaluated only for a refunded purchase
    return std::format(
        "CASE WHEN p.data->'refunds' <> '[]' THEN (SELECT sum((b.line->>'{}')::numeric) FROM "
        "jsonb_array_elements(p.data->'refunds') AS f (refund) CROSS JOIN LATERAL "
        "jsonb_array_elements(f.refund->'lines') AS b (line) WHERE b.line->>'lineId' = "
        "l.line->>'lineId') END",
        member);
  };
  const std::string lines = std::format(
      "SELECT {} AS period{}, p.currency, p.purchase_id, l.line->>'productId' AS \"productId\", "
      "l.line->>'name' AS name, coalesce((l.line->>'quantity')::numeric, 0) AS quantity, "
      "coalesce((l.line->>'total')::numeric, (l.line->>'unitPrice')::numeric * "
      "(l.line->>'quantity')::numeric, 0) AS gross, p.status = 'refunded' AND p.data->'refunds' = "
      "'[]' AS whole, {} AS back_quantity, {} AS back_amount FROM purchase p CROSS JOIN LATERAL "
      "jsonb_array_elements(p.data->'lines') AS l (line) WHERE {}",
      time.period_of("p.purchased_at"), groups_defined(request), refunded_sum("quantity"),
      refunded_sum("amount"), where);
  // Groups by purchase first, so that distinct purchases are counted by hashing.
  const std::string keys =
      "period, \"productId\", CASE WHEN \"productId\" IS NULL THEN name END" + groups;
  const std::string bought = std::format(
      "SELECT period, \"productId\", max(name) AS name{0}, currency, sum(quantity) AS quantity, "
      "sum(CASE WHEN whole THEN quantity ELSE coalesce(back_quantity, 0) END) AS back_quantity, "
      "sum(CASE WHEN whole THEN 0 ELSE gross - coalesce(back_amount, 0) END) AS net, sum(CASE WHEN "
      "whole THEN gross ELSE coalesce(back_amount, 0) END) AS back FROM lines GROUP BY {1}, "
      "currency, purchase_id",
      groups, keys);
  const std::string counted = std::format(
      "SELECT period, \"productId\", max(name) AS name{0}, currency, sum(quantity) AS quantity, "
      "sum(back_quantity) AS back_quantity, count(*) AS purchases, sum(net) AS net, sum(back) AS "
      "back FROM ({1}) AS bought GROUP BY {2}, currency",
      groups, bought, keys);
  const std::string rows = std::format(
      "WITH lines AS ({}), counted AS ({}) SELECT c.*, coalesce(k.data->>'name', c.name) AS "
      "\"productName\", c.back_quantity AS \"refundedQuantity\", {} AS revenue, {} AS refunded, {} "
      "AS digits FROM counted c LEFT JOIN product k ON k.account_id = {} AND k.store_id = "
      "c.\"productId\"",
      lines, counted, rounded("c.net"), rounded("c.back"), digits_of("c.currency"), account);
  return {rows, "r.period, r.\"productId\", r.\"productName\"" + groups_named(request, "r.") +
                    ", r.currency"};
}

// The total at the end of a period is the present total, minus contacts created since, plus
// contacts removed since. Contacts and events are read in the same snapshot.
ReportRows contacts_growth(const Export& request, std::int64_t account) {
  const Time time{request};
  const auto number = [](std::string_view kind, std::string_view channel = "") {
    return std::format(
        "count(*) FILTER (WHERE e.kind = '{}'{})", kind,
        channel.empty() ? "" : std::format(" AND e.payload->>'channel' = '{}'", channel));
  };
  const std::string counted = std::format(
      "SELECT CASE WHEN e.received_at < {} THEN {} END AS period, {} AS created, {} AS merged, {} "
      "AS deleted, {} AS \"emailSubscribed\", {} AS \"emailUnsubscribed\", {} AS "
      "\"smsSubscribed\", {} AS \"smsUnsubscribed\" FROM event e WHERE e.account_id = {} AND "
      "e.received_at >= {} AND e.kind IN ('contact.created', 'contact.merged', 'contact.deleted', "
      "'contact.subscribed', 'contact.unsubscribed') GROUP BY 1",
      time.to(), time.period_of("e.received_at"), number("contact.created"),
      number("contact.merged"), number("contact.deleted"), number("contact.subscribed", "email"),
      number("contact.unsubscribed", "email"), number("contact.subscribed", "sms"),
      number("contact.unsubscribed", "sms"), account, time.from());
  std::string filled;
  for (const auto* name : {"created", "merged", "deleted", "emailSubscribed", "emailUnsubscribed",
                           "smsSubscribed", "smsUnsubscribed"})
    filled += std::format(", coalesce(c.{0}, 0) AS {0}", Snapshot::quote_name(name));
  const std::string rows = std::format(
      "WITH counted AS ({}), filled AS (SELECT a.period{} FROM {} LEFT JOIN counted c ON c.period "
      "= a.period) SELECT f.*, (SELECT count(*) FROM contact WHERE account_id = {}) - "
      "coalesce((SELECT created - merged - deleted FROM counted WHERE period IS NULL), 0) - "
      "coalesce(sum(f.created - f.merged - f.deleted) OVER (ORDER BY f.period ROWS BETWEEN 1 "
      "FOLLOWING AND UNBOUNDED FOLLOWING), 0) AS total FROM filled f",
      counted, filled, time.all(), account);
  return {rows, "r.period"};
}

// Counts by time of occurrence. An event is received later, or at most kEventAhead before it.
ReportRows events_over_time(const Export& request, std::int64_t account) {
  const Time time{request};
  const Filters& filters = request.filters;
  const std::string groups = groups_named(request);
  std::string where = std::format(
      "e.account_id = {} AND e.received_at >= {} - interval '{} hours' AND {} AND {}", account,
      time.from(), limits::kEventAhead.count(), time.holds("e.occurred_at"), events::kShownOutside);
  if (!filters.kinds.empty())
    where += std::format(" AND e.kind = ANY ({})", Snapshot::quote(filters.kinds));
  if (filters.contact) where += " AND " + of_contact(*filters.contact->id, account);
  // Merged contacts count as the contact they were merged into. Two hash aggregations count them:
  // count(DISTINCT …) would sort all events.
  const std::string counted = std::format(
      "SELECT period, kind{0}, sum(events)::bigint AS events, count(contact) AS contacts FROM "
      "(SELECT {1} AS period, e.kind{2}, coalesce(m.into_id, e.contact_id) AS contact, count(*) AS "
      "events FROM event e LEFT JOIN merged_contact m ON m.account_id = {3} AND m.contact_id = "
      "e.contact_id WHERE {4} GROUP BY period, e.kind{0}, contact) AS each_contact GROUP BY "
      "period, kind{0}",
      groups, time.period_of("e.occurred_at"), groups_defined(request), account, where);
  if (filters.kinds.empty() || !request.group_by.empty())
    return {counted, "r.period, r.kind" + groups_named(request, "r.")};
  const std::string rows = std::format(
      "WITH counted AS ({}) SELECT period, kind, coalesce(events, 0) AS events, coalesce(contacts, "
      "0) AS contacts FROM {} CROSS JOIN unnest({}) AS u (kind) LEFT JOIN counted USING (period, "
      "kind)",
      counted, time.all(), Snapshot::quote(filters.kinds));
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
