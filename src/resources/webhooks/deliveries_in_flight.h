// DeliveriesInFlight: the deliveries that this process has claimed and not settled in the database
// yet. It decides which of them may be sent now, and how many more may be claimed.
//
// Concurrency is limited per endpoint and per account. A responsive endpoint gets a prefetch queue,
// as long as its number of deliveries since the last poll, so that it does not wait for the
// database in between. An unresponsive endpoint gets no prefetch, and delays no other endpoint.
#pragma once

#include <list>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "resources/webhooks/delivery.h"
#include "runtime/wait.h"

namespace shopbell::webhooks {

// Deliveries beyond the common limit, reserved for accounts that have none in flight.
inline constexpr std::size_t kReservedDeliveries = 64;

class DeliveriesInFlight {
 public:
  using Time = runtime::Steady::time_point;

  // Returns how many more deliveries may be claimed.
  std::size_t room() const;
  // Returns how many more may be claimed for accounts that have none in flight.
  std::size_t reserved_room() const;
  // Returns the load to subtract from the limits in the next poll. Resets the delivered counts.
  Load load_for_poll();

  void take(Delivery delivery, Time now);
  // Returns a prefetched delivery that may be sent now; nullopt if there is none.
  std::optional<Delivery> next(Time now);
  // Records an attempt's outcome. Until it is settled it uses room, but no share of its endpoint. A
  // 410 or Retry-After stops the endpoint's deliveries until that outcome is settled.
  void answered(const Outcome& outcome);
  // Marks the outcomes as settled, except those in `left`.
  void settled(std::span<const Outcome> outcomes, std::span<const Outcome> left);

  // Removes and returns the deliveries that were prefetched too long ago, or whose endpoint was
  // stopped.
  std::vector<Delivery> give_back(Time now);
  // Removes and returns all prefetched deliveries.
  std::vector<Delivery> give_back_all();

  bool has_ready() const { return !ready_.empty(); }
  bool is_empty() const { return ready_.empty() && sending_ + unsettled_ == 0; }

 private:
  struct Ready {
    Delivery delivery;
    Time since;
    bool unwanted = false;
  };
  struct Share {
    std::int64_t account = 0;  // only set in shares of endpoints
    std::int64_t ready = 0;
    std::int64_t sending = 0;
    std::int64_t delivered = 0;        // deliveries that succeeded since the last poll
    std::int64_t unsettled_stops = 0;  // unsettled outcomes that stop the endpoint

    bool is_unused() const { return ready + sending + unsettled_stops == 0; }
  };
  template <class Is>
  std::vector<Delivery> give_back_if(Is is_given);

  std::list<Ready> ready_;  // prefetched deliveries, oldest claim first
  std::map<Uuid, Share> endpoints_;
  std::map<std::int64_t, Share> accounts_;
  std::size_t sending_ = 0;
  std::size_t unsettled_ = 0;
};

}  // namespace shopbell::webhooks
