// DeliveriesInFlight: the deliveries that this process has taken and whose end is not in the
// database yet. It says what of them may be sent now, and how much more may be taken.
//
// An endpoint is sent a few at a time, an account some more. One that answers has more lying ready:
// as many as it has heard since the last look, so that it does not wait for the database between
// two of them. One that does not answer has nothing lying ready, and keeps nothing from anybody.
#pragma once

#include <list>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "resources/webhooks/delivery.h"
#include "runtime/wait.h"

namespace shopbell::webhooks {

class DeliveriesInFlight {
 public:
  using Time = runtime::Steady::time_point;

  // How many more there is room for.
  std::size_t room() const;
  // What counts as under way in a look for more. What is heard counts from now on for the next.
  Load look();

  void take(Delivery delivery, Time now);
  // One that may be sent now.
  std::optional<Delivery> next(Time now);
  // It was sent. Until it is settled it takes up room, but no share of its endpoint; one that is
  // gone, or asks to be left alone, is sent nothing before the database knows.
  void answered(const Outcome& outcome);
  // These are settled, all but those left.
  void settled(std::span<const Outcome> outcomes, std::span<const Outcome> left);

  // Those that lay ready for too long, or whose endpoint wants no more for now: no longer in hand.
  std::vector<Delivery> give_back(Time now);
  // All that lie ready.
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
    std::int64_t account = 0;  // of an endpoint
    std::int64_t ready = 0;
    std::int64_t sending = 0;
    std::int64_t heard = 0;      // by an endpoint, since the last look
    std::int64_t farewells = 0;  // of an endpoint, not settled

    bool is_unused() const { return ready + sending + farewells == 0; }
  };
  template <class Is>
  std::vector<Delivery> give_back_if(Is is_given);

  std::list<Ready> ready_;  // the first were taken first
  std::map<Uuid, Share> endpoints_;
  std::map<std::int64_t, Share> accounts_;
  std::size_t sending_ = 0;
  std::size_t unsettled_ = 0;
};

}  // namespace shopbell::webhooks
