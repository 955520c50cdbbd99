#include "tests/proofs/actors/shop_load.h"

#include <format>
#include <set>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "runtime/wait.h"

namespace shopbell::proofs {

namespace asio = boost::asio;
using runtime::Steady;
using testing::Answer;
using testing::Ask;
using testing::HttpClient;

namespace {

constexpr std::size_t kClients = 8;

bool is_done(const Answer& answer) {
  return answer.outcome == Answer::Outcome::answered &&
         (answer.status == 200 || answer.status == 201);
}

}  // namespace

void UnexpectedResponses::add(const Ask& ask, const Answer& answer) {
  ++count;
  if (examples.size() < 5)
    examples.push_back(std::format("{} {}: {} {}", ask.method, ask.path, answer.status,
                                   answer.body.substr(0, 200)));
}

ShopLoad::ShopLoad(const testing::Installation::Service& service, const std::string& key,
                   std::chrono::milliseconds pause) {
  for (std::size_t i = 0; i < kClients; ++i) {
    Client& client = clients_.emplace_back();
    client.http = std::make_unique<HttpClient>(loop_, service.host, service.port, key);
    client.number = i;
    asio::co_spawn(loop_, write(client, pause), asio::detached);
  }
  thread_ = std::jthread{[this] { loop_.run(); }};
}

void ShopLoad::stop() {
  stopping_ = true;
  if (thread_.joinable()) thread_.join();
}

Ask ShopLoad::next(Client& client, const std::string& mark) {
  Ask ask{.method = "PATCH", .path = {}};
  ask.headers.emplace_back("Idempotency-Key", mark);
  switch (client.writes.size() % 3) {
    case 0:
      client.contact = mark;
      ask.path = std::format("/contacts/external-id/{}?createContact=true", mark);
      ask.body = std::format(R"({{"firstName":"{}","tags":["kept"]}})", mark);
      break;
    case 1:
      ask.path = std::format("/products/product-id/{}", mark);
      ask.body = std::format(
          R"({{"name":"{0}","url":"https://shop.example.com/{0}","price":"19.90"}})", mark);
      break;
    default:
      ask.method = "POST";
      ask.path = "/purchases/";
      ask.body =
          std::format(R"({{"purchaseId":"{}","contact":{{"externalId":"{}"}},"currency":"EUR",)"
                      R"("total":"19.90","lines":[{{"quantity":1}}]}})",
                      mark, client.contact);
  }
  return ask;
}

asio::awaitable<void> ShopLoad::write(Client& client, std::chrono::milliseconds pause) {
  while (!stopping_) {
    const std::string mark = std::format("s{}-{}", client.number, client.writes.size());
    Ask ask = next(client, mark);
    ShopWrite& made =
        client.writes.emplace_back(ShopWrite{.ask = ask, .mark = mark, .began = Steady::now()});
    const Answer answer = co_await client.http->send(std::move(ask));
    if (is_done(answer)) {
      made.acknowledged = Steady::now();
    } else {
      unexpected_responses.add(made.ask, answer);
    }
    co_await runtime::sleep_for(pause);
  }
}

std::size_t ShopLoad::writes() const {
  std::size_t sum = 0;
  for (const auto& client : clients_) sum += client.writes.size();
  return sum;
}

Holding ShopLoad::compare(pg::Script& database, Span span) const {
  const pg::Result rows = database.query(
      "SELECT external_id AS mark FROM contact UNION ALL SELECT store_id FROM product "
      "UNION ALL SELECT store_id FROM purchase");
  std::set<std::string> there;
  for (std::size_t i = 0; i < rows.size(); ++i) there.insert(rows[i].text("mark"));
  Holding holding;
  holding.there = static_cast<std::int64_t>(there.size());
  holding.twice = static_cast<std::int64_t>(rows.size() - there.size());
  for (const auto& client : clients_) {
    for (const auto& made : client.writes) {
      const bool is_there = there.contains(made.mark);
      if (is_there && made.began > span.to) ++holding.early;
      if (is_there || !made.acknowledged) continue;
      ++(*made.acknowledged < span.from ? holding.lost : holding.undone);
    }
  }
  const auto count_of = [&](const std::string& what) {
    return database.query("SELECT " + what + " AS n")[0].integer("n");
  };
  for (const std::string kind : {"contact", "product", "purchase"})
    holding.halves +=
        count_of(std::format("abs((SELECT count(*) FROM {0}) - "
                             "(SELECT count(*) FROM event WHERE kind = '{0}.created'))",
                             kind));
  holding.halves += count_of(
      "(SELECT count(*) FROM contact c WHERE coalesce((c.purchases->>'count')::bigint, 0) <>"
      " (SELECT count(*) FROM purchase p WHERE p.contact_id = c.contact_id))");
  return holding;
}

void ShopLoad::send_again(const testing::Installation::Service& service, const std::string& key) {
  asio::io_context loop;
  std::vector<std::unique_ptr<HttpClient>> all;
  for (const auto& client : clients_) {
    all.push_back(std::make_unique<HttpClient>(loop, service.host, service.port, key));
    asio::co_spawn(loop, repeat(*all.back(), client), asio::detached);
  }
  loop.run();
}

asio::awaitable<void> ShopLoad::repeat(HttpClient& http, const Client& client) {
  for (const auto& made : client.writes) {
    const Answer answer = co_await http.send(made.ask);
    if (!is_done(answer)) unexpected_responses.add(made.ask, answer);
  }
}

}  // namespace shopbell::proofs
