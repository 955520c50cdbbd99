#include "resources/webhooks/deliveries_in_flight.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"

namespace shopbell::webhooks {

namespace {

constexpr std::int64_t kReadyPerEndpoint = 56;
constexpr std::size_t kReady = 256;                  // prefetch limit of all endpoints together
constexpr auto kReadyFor = std::chrono::seconds{1};  // prefetch age limit, far below the lease

// True if the endpoint responded with 410, or asked for a pause with Retry-After.
bool stops_endpoint(const Outcome& outcome) {
  return !outcome.delivered && !outcome.refused && (!outcome.pause || outcome.rest);
}

}  // namespace

std::size_t DeliveriesInFlight::room() const {
  if (sending_ >= limits::kDeliveriesAtOnce) return 0;  // more claims could not be sent yet
  const std::size_t most = limits::kDeliveriesAtOnce + kReady;
  return most - std::min(most, ready_.size() + sending_ + unsettled_);
}

std::size_t DeliveriesInFlight::reserved_room() const {
  const std::size_t most = limits::kDeliveriesAtOnce + kReady + kReservedDeliveries;
  return most - std::min(most, ready_.size() + sending_ + unsettled_);
}

Load DeliveriesInFlight::load_for_poll() {
  Load load;
  auto spare = static_cast<std::int64_t>(kReady - std::min(kReady, ready_.size()));
  std::map<std::int64_t, std::int64_t> delivered;  // deliveries to prefetch, per account
  for (auto& [webhook, share] : endpoints_) {
    const std::int64_t more = std::min({share.delivered, kReadyPerEndpoint, spare});
    spare -= more;
    delivered[share.account] += more;
    load.of_webhook[webhook] = share.unsettled_stops > 0
                                   ? std::int64_t{limits::kDeliveriesPerEndpoint}
                                   : share.ready + share.sending - more;
    share.delivered = 0;
  }
  for (const auto& [account, share] : accounts_)
    load.of_account[account] = share.ready + share.sending - delivered[account];
  std::erase_if(endpoints_, [](const auto& one) { return one.second.is_unused(); });
  std::erase_if(accounts_, [](const auto& one) { return one.second.is_unused(); });
  return load;
}

void DeliveriesInFlight::take(Delivery delivery, Time now) {
  Share& endpoint = endpoints_[delivery.webhook_id];
  endpoint.account = delivery.account;
  ++endpoint.ready;
  ++accounts_[delivery.account].ready;
  ready_.push_back({.delivery = std::move(delivery), .since = now});
}

std::optional<Delivery> DeliveriesInFlight::next(Time now) {
  // Accounts and endpoints with fewer requests go first: a backlog of some does not delay others.
  auto found = ready_.end();
  constexpr std::pair<std::int64_t, std::int64_t> kNone{0, 0};
  std::pair<std::int64_t, std::int64_t> fewest{limits::kDeliveriesPerAccount, 0};
  if (sending_ >= limits::kDeliveriesAtOnce) fewest = {1, 0};
  if (sending_ >= limits::kDeliveriesAtOnce + kReservedDeliveries) return std::nullopt;
  for (auto one = ready_.begin(); one != ready_.end() && fewest > kNone; ++one) {
    const Share& endpoint = endpoints_[one->delivery.webhook_id];
    if (one->unwanted || now - one->since > kReadyFor || endpoint.unsettled_stops > 0) continue;
    if (std::cmp_greater_equal(endpoint.sending, limits::kDeliveriesPerEndpoint)) continue;
    const std::pair load{accounts_[one->delivery.account].sending, endpoint.sending};
    if (load >= fewest) continue;
    fewest = load;
    found = one;
  }
  if (found == ready_.end()) return std::nullopt;
  Delivery delivery = std::move(found->delivery);
  ready_.erase(found);
  for (Share* share : {&endpoints_[delivery.webhook_id], &accounts_[delivery.account]}) {
    --share->ready;
    ++share->sending;
  }
  ++sending_;
  return delivery;
}

void DeliveriesInFlight::answered(const Outcome& outcome) {
  Share& endpoint = endpoints_[outcome.webhook_id];
  --endpoint.sending;
  --accounts_[outcome.account].sending;
  --sending_;
  ++unsettled_;
  if (outcome.delivered) ++endpoint.delivered;
  if (!stops_endpoint(outcome)) return;
  ++endpoint.unsettled_stops;
  endpoint.delivered = 0;
  for (auto& one : ready_)
    if (one.delivery.webhook_id == outcome.webhook_id) one.unwanted = true;
}

void DeliveriesInFlight::settled(std::span<const Outcome> outcomes, std::span<const Outcome> left) {
  unsettled_ -= outcomes.size() - left.size();
  for (const auto& outcome : outcomes)
    if (stops_endpoint(outcome)) --endpoints_[outcome.webhook_id].unsettled_stops;
  for (const auto& outcome : left)
    if (stops_endpoint(outcome)) ++endpoints_[outcome.webhook_id].unsettled_stops;
}

std::vector<Delivery> DeliveriesInFlight::give_back(Time now) {
  return give_back_if(
      [&](const Ready& one) { return one.unwanted || now - one.since > kReadyFor; });
}

std::vector<Delivery> DeliveriesInFlight::give_back_all() {
  return give_back_if([](const Ready&) { return true; });
}

template <class Is>
std::vector<Delivery> DeliveriesInFlight::give_back_if(Is is_given) {
  std::vector<Delivery> given;
  for (auto one = ready_.begin(); one != ready_.end();) {
    if (!is_given(*one)) {
      ++one;
      continue;
    }
    --endpoints_[one->delivery.webhook_id].ready;
    --accounts_[one->delivery.account].ready;
    given.push_back(std::move(one->delivery));
    one = ready_.erase(one);
  }
  return given;
}

}  // namespace shopbell::webhooks
