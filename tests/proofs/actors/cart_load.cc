#include "tests/proofs/actors/cart_load.h"

#include <algorithm>
#include <charconv>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "tests/proofs/actors/contact_ledger.h"
#include "tests/proofs/actors/log_load.h"
#include "tests/proofs/actors/neighbours.h"

namespace shopbell::proofs {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using testing::Answer;
using testing::Ask;

namespace {

constexpr std::size_t kChangesPerRequest = 25;
constexpr auto kCartStuckAfter =
    180s;                    // a shopper without a response for this long counts as stuck
constexpr auto kIdle = 5ms;  // between looks for carts that are due
// How far a write may miss the moment of a timer at which it is aimed.
constexpr auto kMiss = 150ms;

std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

}  // namespace

std::size_t cart_number(std::string_view id) {
  std::size_t number = SIZE_MAX;
  if (id.starts_with("cart-")) std::from_chars(id.data() + 5, id.data() + id.size(), number);
  return number;
}

CartLoad::CartLoad(const Fleet& fleet, const std::string& key, ServerClock& clock,
                   const CartPlan& plan, std::uint64_t seed)
    : clock_{clock},
      plan_{plan},
      seed_{seed},
      random_{seed},
      open_{plan.carts},
      shopping_{plan.shoppers} {
  const auto from = Steady::now();
  for (std::size_t number = 0; number < plan.carts; ++number) {
    carts_.push_back(draw());
    changing_.push({from + std::chrono::nanoseconds{1s} * number / plan.per_second, number});
  }
  for (std::size_t i = 0; i < plan.shoppers; ++i) {
    // Changes of many carts share a request; each purchase has its own.
    auto& shopper = shoppers_.emplace_back(Shopper{FleetClient{loop_, fleet, key}, i % 4 != 0});
    asio::co_spawn(loop_, shop(shopper), [this](std::exception_ptr error) {
      --shopping_;
      if (error) std::rethrow_exception(error);
    });
  }
  thread_ = std::jthread{[this] { loop_.run(); }};
}

// The destructor does not wait for responses, because the proof may have ended early.
CartLoad::~CartLoad() {
  loop_.stop();
  if (thread_.joinable()) thread_.join();
}

double CartLoad::finished() const {
  return 1 - static_cast<double>(open_) / static_cast<double>(plan_.carts);
}

void CartLoad::stop() {
  const auto until = Steady::now() + kCartStuckAfter + 60min;
  while (shopping_ > 0 && Steady::now() < until) std::this_thread::sleep_for(5ms);
  loop_.stop();
  thread_.join();
  stuck += static_cast<std::int64_t>(shopping_);
}

// Of ten carts six are bought.
Cart CartLoad::draw() {
  constexpr std::array kEnds{CartEnd::left,
                             CartEnd::left,
                             CartEnd::changed_at_reminder,
                             CartEnd::changed_after,
                             CartEnd::bought,
                             CartEnd::bought,
                             CartEnd::bought_at_reminder,
                             CartEnd::bought_at_reminder,
                             CartEnd::bought,
                             CartEnd::bought_at_offer};
  return {.contact = random_() % plan_.contacts,
          .planned_changes = 2 + random_() % 4,
          .end = kEnds.at(random_() % kEnds.size()),
          .changes = {},
          .purchase = {}};
}

void CartLoad::schedule(std::size_t number) {
  const Cart& cart = carts_[number];
  if (cart.changes.size() < cart.planned_changes) {
    changing_.push({Steady::now() + pause_before_change(cart), number});
  } else if (is_bought(cart.end) && !cart.purchase) {
    buying_.push({Steady::now() + pause_before_purchase(cart), number});
  } else {
    --open_;
  }
}

runtime::Steady::duration CartLoad::between(Steady::duration from, Steady::duration to) {
  return from + Steady::duration{static_cast<std::int64_t>(
                    random_() %
                    static_cast<std::uint64_t>(std::max((to - from).count(), std::int64_t{1})))};
}

runtime::Steady::duration CartLoad::pause_before_change(const Cart& cart) {
  const bool is_last = cart.changes.size() + 1 == cart.planned_changes;
  if (is_last && cart.end == CartEnd::changed_at_reminder)
    return between(plan_.to_reminder - kMiss, plan_.to_reminder + kMiss);
  if (is_last && cart.end == CartEnd::changed_after)
    return between(plan_.to_reminder + kMiss, plan_.to_reminder + plan_.to_offer);
  const Steady::duration wait = plan_.to_reminder;
  return between(wait / 20, wait * 8 / 10);
}

runtime::Steady::duration CartLoad::pause_before_purchase(const Cart& cart) {
  const auto all = plan_.to_reminder + plan_.to_offer;
  if (cart.end == CartEnd::bought_at_reminder)
    return between(plan_.to_reminder - kMiss, plan_.to_reminder + kMiss);
  if (cart.end == CartEnd::bought_at_offer) return between(all, all + 4 * kMiss);
  return between(0s, all);
}

std::vector<std::size_t> CartLoad::take_due(Turns& turns, std::size_t most) {
  std::vector<std::size_t> due;
  const auto now = Steady::now();
  while (due.size() < most && !turns.empty() && turns.top().due <= now) {
    due.push_back(turns.top().cart);
    turns.pop();
  }
  return due;
}

asio::awaitable<void> CartLoad::shop(Shopper& shopper) {
  while (open_ > 0) {
    auto due = shopper.buys ? take_due(buying_, 1) : take_due(changing_, kChangesPerRequest);
    if (due.empty()) {
      co_await runtime::sleep_for(kIdle);
    } else if (shopper.buys) {
      co_await buy(shopper.client, due[0]);
    } else {
      co_await change(shopper.client, std::move(due));
    }
  }
}

asio::awaitable<void> CartLoad::change(FleetClient& client, std::vector<std::size_t> some) {
  Ask ask{.method = "POST", .path = "/custom-events/alias/cart-updated"};
  ask.headers.emplace_back("Content-Type", "application/x-ndjson");
  for (const std::size_t number : some) {
    const Cart& cart = carts_[number];
    const auto change = cart.changes.size();
    ask.body += std::format(R"({{"eventId":"{}-{}-{}","contact":{{"externalId":"{}"}},)"
                            R"("payload":{{"cartId":"{}","total":"{}"}}}})",
                            seed_, number, change, log_contact(cart.contact), cart_id(number),
                            kFirstTotal + static_cast<std::int64_t>(change));
    ask.body += '\n';
  }
  const auto answer = co_await insist(client, std::move(ask));
  if (!answer) {
    open_ -= some.size();
    co_return;
  }
  const auto taken = occurrences(answer->body, R"("status":"accepted")") +
                     occurrences(answer->body, R"("status":"duplicate")");
  if (taken != some.size()) ++others[std::format("lines: {}", answer->body.substr(0, 300))];
  const std::int64_t now = clock_.mark();
  for (const std::size_t number : some) {
    carts_[number].changes.push_back(now);
    schedule(number);
  }
  changes += static_cast<std::int64_t>(some.size());
}

asio::awaitable<void> CartLoad::buy(FleetClient& client, std::size_t number) {
  Cart& cart = carts_[number];
  Ask ask{.method = "POST",
          .path = "/purchases/",
          .body = std::format(R"({{"purchaseId":"{0}","cartId":"{0}",)"
                              R"("contact":{{"externalId":"{1}"}},"currency":"EUR","total":"10",)"
                              R"("lines":[{{"lineId":"1","quantity":"1","total":"10"}}]}})",
                              cart_id(number), log_contact(cart.contact))};
  if (!co_await insist(client, std::move(ask))) {
    --open_;
    co_return;
  }
  cart.purchase = clock_.mark();
  schedule(number);
  ++purchases;
}

asio::awaitable<std::optional<Answer>> CartLoad::insist(FleetClient& client, Ask ask) {
  for (const auto until = Steady::now() + kCartStuckAfter; Steady::now() < until;) {
    Answer answer = co_await client.send(random_() % client.lines(), ask);
    if (succeeded(answer)) co_return std::move(answer);
    const bool is_answered = answer.outcome == Answer::Outcome::answered;
    if (is_answered && answer.status != 503) {
      ++others[std::format("{} {}", answer.status, member_of(answer.body, "code").value_or(""))];
      co_return std::nullopt;
    }
    if (answer.outcome == Answer::Outcome::cut) ++cut;
    if (is_answered) ++unavailable;
    co_await runtime::sleep_for(20ms);
  }
  ++stuck;
  co_return std::nullopt;
}

}  // namespace shopbell::proofs
