// ShopLoad: clients that make contacts, products and purchases without end, each under a name of
// its own, and know of every write when it began and when it was acknowledged. What a database
// holds is compared with that.
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
  std::string mark;  // the name of what it makes
  std::chrono::steady_clock::time_point began{};
  std::optional<std::chrono::steady_clock::time_point> acknowledged = {};
};

// Answers that nobody should get.
struct Complaints {
  int count = 0;
  std::vector<std::string> examples;

  void add(const testing::Ask& ask, const testing::Answer& answer);
};

// How a database stands to a span of time: what was acknowledged before it must be there, what
// began after it must not.
struct Holding {
  std::int64_t there = 0;
  std::int64_t lost = 0;    // acknowledged before, and not there
  std::int64_t early = 0;   // began after, and there
  std::int64_t undone = 0;  // acknowledged later, and not there: as it must be
  std::int64_t twice = 0;
  std::int64_t halves = 0;  // without their event, or not in their contact's totals

  bool sound() const { return lost == 0 && early == 0 && twice == 0 && halves == 0; }
};

struct Span {
  std::chrono::steady_clock::time_point from;
  std::chrono::steady_clock::time_point to;
};

class ShopLoad {
 public:
  // On a thread of its own; each client rests for `pause` after each write.
  ShopLoad(const testing::Installation::Service& service, const std::string& key,
           std::chrono::milliseconds pause);
  ~ShopLoad() { stop(); }
  ShopLoad(const ShopLoad&) = delete;
  ShopLoad& operator=(const ShopLoad&) = delete;

  // What is under way is finished. Everything below is for afterwards.
  void stop();

  std::size_t writes() const;
  Holding compare(pg::Script& database, Span span) const;
  // Sends everything once more, as stores do that hear of a loss.
  void send_again(const testing::Installation::Service& service, const std::string& key);

  Complaints complaints;

 private:
  struct Client {
    std::unique_ptr<testing::HttpClient> http;
    std::size_t number = 0;
    std::deque<ShopWrite> writes;
    std::string contact;  // its latest
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
