#include "resources/webhooks/due_endpoints.h"

#include <algorithm>

#include "base/limits.h"
#include "base/random.h"
#include "resources/webhooks/queries.h"

namespace shopbell::webhooks {

namespace {

constexpr std::size_t kPolledAtOnce = 500;
constexpr std::size_t kAdvancedAtOnce = 500;

pg::Scope within_timeout() { return {.deadline = pg::Steady::now() + limits::kQueryTimeout * 2}; }

std::int64_t concurrency_after(std::int64_t failures) {
  return std::max<std::int64_t>(1, std::int64_t{limits::kDeliveriesPerEndpoint} - failures);
}

runtime::Steady::duration pause_of_endpoint(std::int64_t failures) {
  const auto doublings = std::clamp<std::int64_t>(failures - limits::kFailuresInRow, 0, 10);
  const auto pause = std::min<std::chrono::milliseconds>(
      limits::kEndpointPauseFirst * (std::int64_t{1} << doublings), limits::kEndpointPauseMost);
  return std::chrono::floor<std::chrono::milliseconds>(pause * (1 - jitter() / 2));
}

}  // namespace

boost::asio::awaitable<std::vector<FoundEndpoint>> find_due_endpoints(pg::Pool& database,
                                                                      std::chrono::seconds window) {
  const pg::Result found =
      co_await database.query(within_timeout(), sql::due_endpoints, window.count());
  co_return found.map([](const pg::Row& row) {
    return FoundEndpoint{.account = row.integer("account_id"),
                         .webhook_id = row.uuid("webhook_id"),
                         .next_due_at = row.instant("next_due_at"),
                         .is_failing = row.boolean("failing")};
  });
}

boost::asio::awaitable<std::vector<NextDue>> advance_next_due(
    pg::Pool& database, std::span<const DueEndpoint> endpoints) {
  pg::Array accounts, webhooks;
  for (const auto& endpoint : endpoints) {
    accounts.add(endpoint.account);
    webhooks.add(endpoint.webhook_id);
  }
  const pg::Result found =
      co_await database.query(within_timeout(), sql::advance_next_due, std::move(accounts).finish(),
                              std::move(webhooks).finish());
  co_return found.map([](const pg::Row& row) {
    return NextDue{.webhook_id = row.uuid("webhook_id"),
                   .at = row.maybe_instant("next_due_at"),
                   .is_due = row.boolean("is_due")};
  });
}

DueEndpoint DueEndpoints::due(const Uuid& webhook, const Known& known) {
  return {.account = known.account, .webhook_id = webhook, .since = known.next_due_at};
}

void DueEndpoints::add(std::span<const FoundEndpoint> found, Time now) {
  for (const auto& endpoint : found) {
    const auto [known, is_new] = known_.try_emplace(endpoint.webhook_id);
    if (is_new) {
      known->second = {.account = endpoint.account,
                       .next_due_at = endpoint.next_due_at,
                       .advanced_at = now,
                       .failures = endpoint.is_failing ? limits::kFailuresInRow : 0};
    } else {
      known->second.next_due_at = std::min(known->second.next_due_at, endpoint.next_due_at);
    }
  }
}

std::vector<DueEndpoint> DueEndpoints::for_poll(Load& load, Time now) {
  return choose(load, now, false);
}

std::vector<DueEndpoint> DueEndpoints::for_poll_of_idle_accounts(Load& load, Time now) {
  return choose(load, now, true);
}

std::vector<DueEndpoint> DueEndpoints::choose(Load& load, Time now, bool only_idle_accounts) {
  const auto in_flight = [&](const Uuid& webhook) {
    const auto found = load.of_webhook.find(webhook);
    return found == load.of_webhook.end() ? 0 : std::max<std::int64_t>(found->second, 0);
  };
  const auto is_busy = [&](std::int64_t account) {
    const auto found = load.of_account.find(account);
    return found != load.of_account.end() && found->second > 0;
  };
  std::int64_t room_for_failing = limits::kFailingAtOnce;
  std::vector<std::pair<const Uuid, Known>*> chosen;
  for (auto& one : known_) {
    if (one.second.is_failing()) room_for_failing -= in_flight(one.first);
    if (only_idle_accounts && is_busy(one.second.account)) continue;
    if (one.second.paused_until <= now) chosen.push_back(&one);
  }
  if (chosen.size() > kPolledAtOnce) {
    std::ranges::stable_sort(chosen, {}, [](const auto* one) { return one->second.polled_at; });
    chosen.resize(kPolledAtOnce);
  }
  std::ranges::stable_sort(chosen, {}, [](const auto* one) { return one->second.served_at; });
  std::vector<DueEndpoint> endpoints;
  for (auto* one : chosen) {
    auto& [webhook, known] = *one;
    known.polled_at = now;
    if (known.is_failing()) {
      const std::int64_t free = concurrency_after(known.failures) - in_flight(webhook);
      if (free <= 0 || room_for_failing < free) continue;
      room_for_failing -= free;
      load.of_webhook[webhook] = std::int64_t{limits::kDeliveriesPerEndpoint} - free;
    }
    endpoints.push_back(due(webhook, known));
  }
  return endpoints;
}

void DueEndpoints::claimed(std::span<const Delivery> deliveries, Time now) {
  for (const auto& delivery : deliveries) {
    const auto found = known_.find(delivery.webhook_id);
    if (found == known_.end()) continue;
    found->second.next_due_at = delivery.claimed_through;
    found->second.served_at = now;
  }
}

void DueEndpoints::answered(const Outcome& outcome, Time now) {
  const auto found = known_.find(outcome.webhook_id);
  if (found == known_.end()) return;
  Known& known = found->second;
  if (outcome.delivered || outcome.refused) {
    known.failures = 0;
    known.paused_until = {};
  } else if (++known.failures >= limits::kFailuresInRow) {
    known.paused_until = now + pause_of_endpoint(known.failures);
  }
}

std::vector<DueEndpoint> DueEndpoints::to_advance(Time now) const {
  std::vector<DueEndpoint> endpoints;
  for (const auto& [webhook, known] : known_) {
    if (endpoints.size() == kAdvancedAtOnce) break;
    if (now - known.advanced_at >= limits::kNextDueEvery) endpoints.push_back(due(webhook, known));
  }
  return endpoints;
}

void DueEndpoints::advanced(std::span<const NextDue> endpoints, Time now) {
  for (const auto& next : endpoints) {
    const auto found = known_.find(next.webhook_id);
    if (found == known_.end()) continue;
    if (next.is_due) {
      found->second.next_due_at = *next.at;
      found->second.advanced_at = now;
    } else {
      known_.erase(found);
    }
  }
}

std::size_t DueEndpoints::answering() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      known_, [](const auto& one) { return one.second.failures < limits::kFailuresInRow; }));
}

std::vector<DueEndpoint> DueEndpoints::longest_waiting(std::size_t most) const {
  std::vector<DueEndpoint> endpoints;
  for (const auto& [webhook, known] : known_)
    if (known.failures < limits::kFailuresInRow) endpoints.push_back(due(webhook, known));
  std::ranges::sort(endpoints, {}, &DueEndpoint::since);
  endpoints.resize(std::min(endpoints.size(), most));
  return endpoints;
}

}  // namespace shopbell::webhooks
