#include "resources/exports/report_workflows.h"

#include <format>

#include "resources/exports/conditions.h"
#include "resources/exports/report_parts.h"
#include "resources/exports/statements.h"

namespace shopbell::exports {

std::vector<Column> workflow_performance_columns() {
  return {words("workflow"),  words("name"),         plain("entered"),
          plain("completed"), plain("exited"),       plain("converted"),
          plain("sent"),      plain("unsubscribed"), amount("revenue")};
}

ReportRows workflow_performance(const Export& request, std::int64_t account) {
  const Time time{request};
  const std::string rows =
      pg::fill(sql::workflow_performance, {{"period", time.period_of("e.received_at")},
                                           {"account", account},
                                           {"received", time.holds("e.received_at")},
                                           {"purchase_period", time.period_of("p.purchased_at")},
                                           {"purchased", time.holds("p.purchased_at")},
                                           {"digits", digits_of("s.currency")},
                                           {"periods", time.all()}});
  return {rows, "r.period, r.workflow"};
}

std::vector<Column> coupon_usage_columns() {
  return {words("couponSet"), words("name"), plain("assigned"), plain("redeemed"),
          plain("byOther")};
}

ReportRows coupon_usage(const Export& request, std::int64_t account) {
  const Time time{request};
  Conditions where{std::format("s.account_id = {}", account)};
  where.equal_uuid("s.coupon_set_id", request.filters.coupon_set);
  const std::string rows =
      pg::fill(sql::coupon_usage, {{"claim_period", time.period_of("c.claimed_at")},
                                   {"claimed", time.holds("c.claimed_at")},
                                   {"redemption_period", time.period_of("c.redeemed_at")},
                                   {"redeemed", time.holds("c.redeemed_at")},
                                   {"account", account},
                                   {"periods", time.all()},
                                   {"where", where.sql()}});
  return {rows, "r.period, r.\"couponSet\""};
}

}  // namespace shopbell::exports
