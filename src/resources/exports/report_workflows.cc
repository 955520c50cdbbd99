#include "resources/exports/report_workflows.h"

#include <format>

#include "pg/snapshot.h"
#include "resources/exports/report_parts.h"

namespace shopbell::exports {

std::vector<Column> workflow_performance_columns() {
  return {words("workflow"), words("name"),      plain("entered"), plain("completed"),
          plain("exited"),   plain("converted"), plain("sent"),    plain("unsubscribed")};
}

// Counts runs by the time of what they did: a run that starts in one period may end in another.
ReportRows workflow_performance(const Export& request, std::int64_t account) {
  const Time time{request};
  const auto number = [](std::string_view kind, std::string_view name) {
    return std::format("count(*) FILTER (WHERE e.kind = '{}') AS {}", kind, name);
  };
  const std::string counted = std::format(
      "SELECT {} AS period, e.payload->>'workflowId' AS id, {}, {}, {}, {}, {}, {} FROM event e "
      "WHERE e.account_id = {} AND {} AND e.kind IN ('workflow.entered', 'workflow.completed', "
      "'workflow.exited', 'workflow.converted', 'message.sent', 'message.unsubscribed') AND "
      "e.payload->>'workflowId' IS NOT NULL GROUP BY 1, 2",
      time.period_of("e.received_at"), number("workflow.entered", "entered"),
      number("workflow.completed", "completed"), number("workflow.exited", "exited"),
      number("workflow.converted", "converted"), number("message.sent", "sent"),
      number("message.unsubscribed", "unsubscribed"), account, time.holds("e.received_at"));
  // Every workflow that did something has a row for every period.
  const std::string rows = std::format(
      "WITH counted AS ({0}) SELECT a.period, w.alias AS workflow, v.definition->>'name' AS name, "
      "coalesce(c.entered, 0) AS entered, coalesce(c.completed, 0) AS completed, "
      "coalesce(c.exited, 0) AS exited, coalesce(c.converted, 0) AS converted, coalesce(c.sent, 0) "
      "AS sent, coalesce(c.unsubscribed, 0) AS unsubscribed FROM {1} CROSS JOIN workflow w JOIN "
      "workflow_version v ON v.account_id = w.account_id AND v.workflow_id = w.workflow_id AND "
      "v.version = w.active_version LEFT JOIN counted c ON c.period = a.period AND c.id = "
      "w.workflow_id::text WHERE w.account_id = {2} AND w.workflow_id::text IN (SELECT id FROM "
      "counted)",
      counted, time.all(), account);
  return {rows, "r.period, r.workflow"};
}

std::vector<Column> coupon_usage_columns() {
  return {words("couponSet"), words("name"), plain("assigned"), plain("redeemed"),
          plain("byOther")};
}

// Counts codes by the time they were assigned, and redemptions by the time of the purchase.
ReportRows coupon_usage(const Export& request, std::int64_t account) {
  const Time time{request};
  std::string where;
  if (request.filters.coupon_set)
    where = std::format(" AND s.coupon_set_id = {}::uuid",
                        pg::Snapshot::quote(*request.filters.coupon_set));
  const std::string used = std::format(
      "SELECT {0} AS period, c.coupon_set_id, 1 AS assigned, 0 AS redeemed, 0 AS by_other FROM "
      "coupon_claim c WHERE c.account_id = {4} AND {1} UNION ALL SELECT {2}, c.coupon_set_id, 0, "
      "1, CASE WHEN c.by_other THEN 1 ELSE 0 END FROM coupon_redemption c WHERE c.account_id = {4} "
      "AND {3}",
      time.period_of("c.claimed_at"), time.holds("c.claimed_at"), time.period_of("c.redeemed_at"),
      time.holds("c.redeemed_at"), account);
  const std::string rows = std::format(
      "WITH used AS ({0}), counted AS (SELECT period, coupon_set_id, sum(assigned) AS assigned, "
      "sum(redeemed) AS redeemed, sum(by_other) AS by_other FROM used GROUP BY period, "
      "coupon_set_id) SELECT a.period, s.alias AS \"couponSet\", s.name, coalesce(c.assigned, 0) "
      "AS assigned, coalesce(c.redeemed, 0) AS redeemed, coalesce(c.by_other, 0) AS \"byOther\" "
      "FROM {1} CROSS JOIN coupon_set s LEFT JOIN counted c ON c.period = a.period AND "
      "c.coupon_set_id = s.coupon_set_id WHERE s.account_id = {2}{3}",
      used, time.all(), account, where);
  return {rows, "r.period, r.\"couponSet\""};
}

}  // namespace shopbell::exports
