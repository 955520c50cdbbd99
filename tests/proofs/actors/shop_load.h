// ShopLoad: clients that continuously create contacts, products and purchases, each with a unique
// name. They record when each write began and was acknowledged, for comparison with a database.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "pg/script.h"
#include "testing/http_client.h"
#include "testing/installation.h"

namespace shopbell::proofs {

struct ShopWrite {
  testing::Ask ask;
  std::string mark;  // the name of the created object
  std::chrono::steady_clock::time_point began{};
  std::optional<std::chrono::steady_clock::time_point> acknowledged = {};
};

// Responses that the load did not expect.
struct UnexpectedResponses {
  int count = 0;
  std::vector<std::string> examples;

  void add(const testing::Ask& ask, const testing::Answer& answer);
};

// Compares a database with a span of time. Writes acknowledged before the span must be there;
// writes that began after it must not.
struct Holding {
  std::int64_t there = 0;
  std::int64_t lost = 0;    // writes acknowledged before the span, but missing
  std::int64_t early = 0;   // writes that began after the span, but are there
  std::int64_t undone = 0;  // writes acknowledged after the span, missing as expected
  std::int64_t twice = 0;
  std::int64_t halves = 0;  // writes without their event, or not in their contact's totals

  bool sound() const { return lost == 0 && early == 0 && twice == 0 && halves == 0; }
};

struct Span {
  std::chrono::steady_clock::time_point from;
  std::chrono::steady_clock::time_point to;
};

class ShopLoad {
 public:
  // Runs on its own thread; each client waits for `pause` after each write.
  ShopLoad(const testing::Installation::Service& service, const std::string& key,
           std::chrono::milliseconds pause);
  ~ShopLoad() { stop(); }
  ShopLoad(const ShopLoad&) = delete;
  ShopLoad& operator=(const ShopLoad&) = delete;

  // Finishes the requests in flight. The members below may be used only afterwards.
  void stop();

  std::size_t writes() const;
  Holding compare(pg::Script& database, Span span) const;
  // Sends every write once more, as stores do after a data loss.
  void send_again(const testing::Installation::Service& service, const std::string& key);

  UnexpectedResponses unexpected_responses;

 private:
  struct Client {
    std::unique_ptr<testing::HttpClient> http;
    std::size_t number = 0;
    std::deque<ShopWrite> writes;
    std::string contact;  // the client's latest contact
  };

  static testing::Ask next(Client& client, const std::string& mark);
  boost::asio::awaitable<void> write(Client& client, std::chrono::milliseconds pause);
  boost::asio::awaitable<void> repeat(testing::HttpClient& http, const Client& client);

  boost::asio::io_context loop_;
  std::deque<Client> clients_;
  std::atomic<bool> stopping_ = false;
  std::jthread thread_;
};

}  // namespace shopbell::proofs
