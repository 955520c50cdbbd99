// Purchases are created, refunded, replaced, cancelled and deleted concurrently for few people,
// with six fraction digits in three currencies. The service's totals per person are compared with
// exact sums of the acknowledged writes, computed here in millionths.
#include <algorithm>
#include <format>
#include <map>

#include "base/time.h"
#include "json/document.h"
#include "tests/proofs/actors/client_group.h"

namespace shopbell::proofs {

namespace {

namespace asio = boost::asio;
using testing::Answer;
using testing::HttpClient;

__extension__ typedef __int128 Wide;

constexpr std::size_t kPeople = 100;
constexpr std::array<std::string_view, 3> kCurrencies{"EUR", "USD",
                                                      "JPY"};  // the first currency is the store's

std::string in_digits(std::int64_t millionths) {
  return std::format("{}.{:06}", millionths / 1'000'000, millionths % 1'000'000);
}

std::int64_t to_millionths(std::string_view text) {
  std::int64_t whole = 0;
  std::int64_t fraction = 0;
  int digits = -1;
  for (const char c : text) {
    if (c == '.') {
      digits = 0;
    } else if (digits < 0) {
      whole = whole * 10 + (c - '0');
    } else {
      fraction = fraction * 10 + (c - '0');
      ++digits;
    }
  }
  for (int i = std::max(digits, 0); i < 6; ++i) fraction *= 10;
  return whole * 1'000'000 + fraction;
}

// Returns a × b / c, rounded half to even.
std::int64_t share(std::int64_t a, std::int64_t b, std::int64_t c) {
  if (c == 0) return 0;
  const Wide product = static_cast<Wide>(a) * b;
  const Wide quotient = product / c;
  const Wide rest = (product % c) * 2;
  const bool up = rest > c || (rest == c && quotient % 2 == 1);
  return static_cast<std::int64_t>(quotient + (up ? 1 : 0));
}

// The current state of an order.
struct Order {
  std::size_t person = 0;
  std::size_t currency = 0;
  std::int64_t total = 0;
  std::optional<std::int64_t> store_total;
  std::vector<std::int64_t> refunds;
  std::int64_t day = 0;
  bool cancelled = false;
  bool there = false;

  std::int64_t net() const {
    std::int64_t left = total;
    for (const auto refund : refunds) left -= refund;
    return left;
  }
  std::optional<std::int64_t> store_amount() const {
    if (currency == 0) return net();
    if (!store_total) return std::nullopt;
    return share(*store_total, net(), total);
  }
};

struct Totals {
  std::int64_t count = 0;
  std::int64_t total = 0;
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> by_currency;
  std::optional<std::int64_t> first;
  std::optional<std::int64_t> last;

  void add(const Order& order) {
    if (!order.there || order.cancelled) return;
    auto& [orders, sum] = by_currency[std::string{kCurrencies[order.currency]}];
    ++orders;
    sum += order.net();
    if (const auto amount = order.store_amount()) {
      ++count;
      total += *amount;
    }
    first = std::min(first.value_or(order.day), order.day);
    last = std::max(last.value_or(order.day), order.day);
  }
};

std::string email_of(std::size_t person) { return std::format("buyer-{}@example.com", person); }

std::string time_of(std::int64_t day) {
  const auto epoch = Instant{std::chrono::days{20'000}};
  return to_rfc3339(epoch + std::chrono::hours{day});
}

class Market {
 public:
  Market(ClientGroup& clients, std::size_t orders) : clients_{clients}, orders_(orders) {}

  void trade(int changes) {
    std::vector<Job> jobs;
    for (std::size_t i = 0; i < orders_.size(); ++i)
      jobs.emplace_back(
          [this, i, changes](HttpClient& client) { return live(client, i, changes); });
    clients_.run("money", std::move(jobs));
  }

  void judge() {
    std::vector<Totals> expected(kPeople);
    for (const auto& order : orders_) expected[order.person].add(order);
    std::vector<Job> jobs;
    for (std::size_t i = 0; i < kPeople; ++i)
      jobs.emplace_back(
          [this, i, &expected](HttpClient& client) { return compare(client, i, expected[i]); });
    clients_.run("money: comparing", std::move(jobs));
    const auto there = std::ranges::count_if(orders_, [](const Order& o) { return o.there; });
    clients_.expect(clients_.count("purchase") == there, "the number of purchases is wrong");
  }

  std::int64_t writes = 0;
  std::int64_t replaced = 0;
  std::int64_t deleted = 0;

 private:
  std::uint64_t draw() { return clients_.random()(); }

  Order drawn() {
    Order order{.person = draw() % kPeople,
                .currency = draw() % kCurrencies.size(),
                .total = static_cast<std::int64_t>(draw() % 1'000'000'000),
                .day = static_cast<std::int64_t>(draw() % 8'000)};
    if (draw() % 3 != 0) order.store_total = static_cast<std::int64_t>(draw() % 1'000'000'000);
    order.there = true;
    return order;
  }

  std::string body_of(std::size_t number, const Order& order) {
    std::string refunds;
    for (std::size_t i = 0; i < order.refunds.size(); ++i)
      refunds += std::format(R"({}{{"refundId":"r{}","amount":"{}"}})", i == 0 ? "" : ",", i,
                             in_digits(order.refunds[i]));
    const std::string store_total =
        order.store_total ? std::format(R"(,"storeTotal":{})", in_digits(*order.store_total)) : "";
    return std::format(
        R"({{"purchaseId":"o-{}","contact":{{"email":"{}"}},"currency":"{}","total":"{}"{},)"
        R"("purchasedAt":"{}","status":"{}","refunds":[{}],"lines":[{{"quantity":1}}]}})",
        number, email_of(order.person), kCurrencies[order.currency], in_digits(order.total),
        store_total, time_of(order.day), order.cancelled ? "cancelled" : "paid", refunds);
  }

  // Applies all changes to one order, one after the other.
  asio::awaitable<void> live(HttpClient& client, std::size_t number, int changes) {
    Order& order = orders_[number];
    for (int i = 0; i < changes; ++i) {
      const Order before = order;
      order = next_of(order);
      const bool goes = before.there && !order.there;
      testing::Ask ask{.method = "POST",
                       .path = "/purchases/?createContact=true&ifExists=replace",
                       .body = body_of(number, order)};
      if (goes)
        ask = {.method = "DELETE", .path = std::format("/purchases/purchase-id/o-{}", number)};
      if (draw() % 2 == 0)
        ask.headers.emplace_back("Idempotency-Key", std::format("{}-{}", number, i));
      const Answer answer = co_await insist(client, ask);
      const int expected = goes ? 204 : before.there ? 200 : 201;
      clients_.expect(answer.status == expected,
                      std::format("{} instead of {}", status_and_code(answer), expected));
      ++writes;
      replaced += !goes && before.there;
      deleted += goes;
    }
  }

  Order next_of(Order order) {
    if (!order.there) return drawn();
    switch (draw() % 6) {
      case 0: {  // replace the order by an entirely new one
        Order other = drawn();
        return other;
      }
      case 1:
        order.cancelled = !order.cancelled;
        return order;
      case 2:
        order.there = false;
        order.refunds.clear();
        order.cancelled = false;
        return order;
      default: {
        const std::int64_t left = order.net();
        if (left > 0 && order.refunds.size() < 50)
          order.refunds.push_back(
              static_cast<std::int64_t>(draw() % static_cast<std::uint64_t>(left) + 1));
        else
          order.day = static_cast<std::int64_t>(draw() % 8'000);
        return order;
      }
    }
  }

  asio::awaitable<void> compare(HttpClient& client, std::size_t person, const Totals& expected) {
    const Answer answer =
        co_await insist(client, {.method = "GET", .path = email_path(email_of(person))});
    if (answer.status == 404) {
      clients_.expect(expected.by_currency.empty(), "a buyer is missing");
      co_return;
    }
    const auto document = json::Document::parse(member_of(answer, "purchases"));
    if (!document) {
      clients_.wrong("a contact without purchases{}");
      co_return;
    }
    const json::Value totals = document->root();
    const auto text = [&](const json::Value& of, std::string_view name) {
      const auto value = of.member(name);
      return !value                              ? std::string{}
             : value->type() == json::Type::text ? std::string{value->text()}
                                                 : value->to_json();
    };
    clients_.expect(text(totals, "count") == std::to_string(expected.count), "a count is wrong");
    clients_.expect(to_millionths(text(totals, "totalAmount")) == expected.total,
                    "a total is wrong");
    std::size_t seen = 0;
    totals.member("byCurrency")->for_each([&](std::string_view, const json::Value& entry) {
      const auto found = expected.by_currency.find(text(entry, "currency"));
      ++seen;
      if (found == expected.by_currency.end()) {
        clients_.wrong("an unexpected currency");
        return;
      }
      clients_.expect(text(entry, "count") == std::to_string(found->second.first) &&
                          to_millionths(text(entry, "total")) == found->second.second,
                      "a total of a currency is wrong");
    });
    clients_.expect(seen == expected.by_currency.size(), "a currency is missing");
    const auto time = [](const std::optional<std::int64_t>& day) {
      return day ? time_of(*day) : std::string{"null"};
    };
    clients_.expect(text(totals, "firstAt") == time(expected.first), "firstAt is wrong");
    clients_.expect(text(totals, "lastAt") == time(expected.last), "lastAt is wrong");
  }

  ClientGroup& clients_;
  std::vector<Order> orders_;
};

}  // namespace

Verdict money(const Setting& setting) {
  ClientGroup clients{setting, "Money"};
  Market market{clients, setting.quick ? std::size_t{100} : std::size_t{10'000}};
  market.trade(10);
  market.judge();
  return clients.verdict(std::format(
      "{} people, 3 currencies, 6 fraction digits, 48 clients, 2 processes: {} writes, {} of them "
      "replacements and {} deletions: counts, totals, first and last times equal an exact "
      "recomputation, {} purchases left",
      kPeople, market.writes, market.replaced, market.deleted, clients.count("purchase")));
}

}  // namespace shopbell::proofs
