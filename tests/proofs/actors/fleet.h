// Fleet: several processes of one installation that are killed, stopped and resumed while clients
// go on, each known by the name under which it takes part in the log; and a client that has a
// connection to every one.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "testing/http_client.h"
#include "testing/installation.h"

namespace shopbell::proofs {

// Safe to be used by several threads; one of them ends and starts.
class Fleet {
 public:
  Fleet(testing::Installation& installation, std::size_t processes,
        std::map<std::string, std::string> environment = {});

  std::size_t size() const { return members_.size(); }
  // As after a crash: nobody is there until start().
  void kill(std::size_t which);
  void start(std::size_t which);
  // It stands still, and a balancer sends nobody new to it, until resume().
  void freeze(std::size_t which);
  void resume(std::size_t which);
  bool alive();

  struct Life {
    std::size_t number = 0;  // counts over all processes
    std::string host;
    std::string port;
  };
  // Of the process that requests meant for this one go to.
  Life life(std::size_t which) const;

  // What the process calls itself in the log.
  std::string process_name(std::size_t which) const;
  std::optional<std::size_t> find(const std::string& process_name) const;
  // The sum of a metric over its labels.
  double metric(std::size_t which, const std::string& name) const;

 private:
  struct Member {
    testing::Installation::Service service;
    Life life;
    std::string name;
    bool out = false;  // the balancer sends nobody to it
  };

  testing::Installation& installation_;
  const std::map<std::string, std::string> environment_;
  mutable std::mutex mutex_;  // of all below
  std::vector<Member> members_;
  std::size_t started_ = 0;
};

// Used by one coroutine.
class FleetClient {
 public:
  FleetClient(boost::asio::io_context& loop, const Fleet& fleet, std::string key)
      : loop_{loop}, fleet_{fleet}, key_{std::move(key)}, lines_(fleet.size()) {}

  std::size_t lines() const { return lines_.size(); }
  boost::asio::awaitable<testing::Answer> send(std::size_t which, testing::Ask ask);

 private:
  struct Line {
    std::optional<std::size_t> life;
    std::unique_ptr<testing::HttpClient> client;
  };

  boost::asio::io_context& loop_;
  const Fleet& fleet_;
  std::string key_;
  std::vector<Line> lines_;
};

// Sends one request by a loop and a connection of its own.
testing::Answer ask_once(const Fleet& fleet, std::size_t which, const std::string& key,
                         testing::Ask ask);

// Makes an integration that receives events of these aliases; throws when it cannot.
void define_event_types(const Fleet& fleet, const std::string& key,
                        const std::vector<std::string>& aliases);

}  // namespace shopbell::proofs
