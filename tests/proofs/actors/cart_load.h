// CartLoad: shoppers who fill carts, change them, and buy some, over the processes of a fleet. The
// ledger says what was acknowledged, and when by the server's clock.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <format>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "runtime/wait.h"
#include "tests/proofs/actors/fleet.h"
#include "tests/proofs/actors/server_clock.h"

namespace shopbell::proofs {

struct CartPlan {
  std::size_t carts = 0;
  std::size_t contacts = 0;
  std::size_t shoppers = 0;     // concurrent requests
  std::int64_t per_second = 0;  // carts that are begun
  // The waits of the workflow, from the last change to the reminder and from there to the offer.
  std::chrono::seconds to_reminder;
  std::chrono::seconds to_offer;
};

// How a cart ends. Purchases are aimed at the moments of the timers, counted from the last
// response.
enum class CartEnd : std::uint8_t {
  left,                 // not bought
  changed_at_reminder,  // not bought; its last change comes when the first timer fires
  changed_after,        // not bought; its last change comes after the reminder
  bought,               // at any time
  bought_at_reminder,   // when the first timer fires
  bought_at_offer,      // when the second timer fires
};
inline bool is_bought(CartEnd end) { return end >= CartEnd::bought; }

struct Cart {
  std::size_t contact = 0;
  std::size_t planned_changes = 0;
  CartEnd end = CartEnd::left;
  // Positions in the sequence of the clock: the acknowledgements of its changes, in order, and of
  // its purchase.
  std::vector<std::int64_t> changes;
  std::optional<std::int64_t> purchase;
};

inline std::string cart_id(std::size_t number) { return std::format("cart-{}", number); }
// The cart with that id; a number that no cart has if it is not one.
std::size_t cart_number(std::string_view id);
// The total after a change is one more than after the one before it.
inline constexpr std::int64_t kFirstTotal = 20;

class CartLoad {
 public:
  // Starts the load. The subscribers and the event type `cart-updated` must exist.
  CartLoad(const Fleet& fleet, const std::string& key, ServerClock& clock, const CartPlan& plan,
           std::uint64_t seed);
  ~CartLoad();
  CartLoad(const CartLoad&) = delete;
  CartLoad& operator=(const CartLoad&) = delete;

  // Returns the share of the carts that are finished.
  double finished() const;
  // Waits until all carts are finished. Other threads may read the members below only afterwards,
  // except the atomic counters.
  void stop();
  const std::vector<Cart>& carts() const { return carts_; }

  std::atomic<std::int64_t> changes = 0;    // acknowledged
  std::atomic<std::int64_t> purchases = 0;  // acknowledged
  std::int64_t cut = 0;                     // requests without a response
  std::int64_t unavailable = 0;             // responses with status 503
  std::int64_t stuck = 0;
  std::map<std::string, int> others;  // unexpected responses, by status and code

 private:
  using Steady = runtime::Steady;
  struct Turn {
    Steady::time_point due;
    std::size_t cart = 0;
    auto operator<=>(const Turn&) const = default;
  };
  using Turns = std::priority_queue<Turn, std::vector<Turn>, std::greater<>>;
  struct Shopper {
    FleetClient client;
    bool buys = false;
  };

  Cart draw();
  void schedule(std::size_t number);
  Steady::duration pause_before_change(const Cart& cart);
  Steady::duration pause_before_purchase(const Cart& cart);
  Steady::duration between(Steady::duration from, Steady::duration to);
  static std::vector<std::size_t> take_due(Turns& turns, std::size_t most);
  boost::asio::awaitable<void> shop(Shopper& shopper);
  boost::asio::awaitable<void> change(FleetClient& client, std::vector<std::size_t> some);
  boost::asio::awaitable<void> buy(FleetClient& client, std::size_t number);
  boost::asio::awaitable<std::optional<testing::Answer>> insist(FleetClient& client,
                                                                testing::Ask ask);

  ServerClock& clock_;
  const CartPlan plan_;
  const std::uint64_t seed_;
  std::mt19937_64 random_;
  std::vector<Cart> carts_;
  Turns changing_;
  Turns buying_;
  std::atomic<std::size_t> open_;
  std::atomic<std::size_t> shopping_;
  boost::asio::io_context loop_;
  std::deque<Shopper> shoppers_;
  std::jthread thread_;
};

}  // namespace shopbell::proofs
