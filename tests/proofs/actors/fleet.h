// Fleet: several processes of one installation that are killed, stopped and resumed while clients
// continue. Each is identified by its process name in the event log. FleetClient has a connection
// to each.
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

// Thread-safe, but only one thread may kill, start, freeze and resume.
class Fleet {
 public:
  Fleet(testing::Installation& installation, std::size_t processes,
        std::map<std::string, std::string> environment = {});

  std::size_t size() const { return members_.size(); }
  // Kills the process with SIGKILL; it stays down until start().
  void kill(std::size_t which);
  void start(std::size_t which);
  // Stops the process (SIGSTOP) and takes it out of the balancer until resume().
  void freeze(std::size_t which);
  void resume(std::size_t which);
  bool alive();

  struct Life {
    std::size_t number = 0;  // number of this start, counted over all processes
    std::string host;
    std::string port;
  };
  // Returns the process that receives the requests for `which`: another one while `which` is out.
  Life life(std::size_t which) const;

  // Returns the process with that name in the event log.
  std::optional<std::size_t> find(const std::string& process_name) const;
  // Returns the sum of a metric over all its labels.
  double metric(std::size_t which, const std::string& name) const;
  // Returns the process's resident memory.
  std::int64_t memory_kb(std::size_t which) const;
  double cpu_seconds(std::size_t which) const;

 private:
  struct Member {
    testing::Installation::Service service;
    Life life;
    std::string name;
    bool out = false;  // true while the balancer sends the process no requests
  };

  testing::Installation& installation_;
  const std::map<std::string, std::string> environment_;
  mutable std::mutex mutex_;  // guards all members below
  std::vector<Member> members_;
  std::size_t started_ = 0;
};

// A client with a connection to each process, for use by one coroutine.
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

// Sends one request on a new event loop and connection.
testing::Answer ask_once(const Fleet& fleet, std::size_t which, const std::string& key,
                         testing::Ask ask);

// Creates an integration with event types of these aliases; throws on failure. `fields` is the JSON
// of their fields.
void define_event_types(const Fleet& fleet, const std::string& key,
                        const std::vector<std::string>& aliases, const std::string& fields = "[]");

}  // namespace shopbell::proofs
