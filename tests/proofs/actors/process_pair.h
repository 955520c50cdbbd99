// ProcessPair: two processes of one installation that are stopped and restarted while clients
// continue; PairClient has a connection to each. It records how each run of a process ended,
// because only kill -9 may cut an accepted request.
#pragma once

#include <array>
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

// Thread-safe, but only one thread may stop and restart.
class ProcessPair {
 public:
  explicit ProcessPair(testing::Installation& installation);

  void kill_and_restart(std::size_t which);
  // Stops the process with SIGTERM and restarts it. Returns the exit code, or nullopt if the
  // process did not exit in time.
  std::optional<int> stop_and_restart(std::size_t which);
  // Stops and restarts a process behind a balancer, which takes it out first and puts it back
  // afterwards. All clients use the other process meanwhile.
  std::optional<int> replace(std::size_t which);
  bool alive();
  std::size_t memory_bytes(std::size_t which) const;  // resident memory

  struct Life {
    std::size_t number = 0;  // number of this start, counted over both processes
    std::string host;
    std::string port;
  };
  // Returns the process that receives the requests for `which`: the other one while `which` is out.
  Life life(std::size_t which) const;

  void note(std::size_t life, const testing::Answer& answer);
  struct Cuts {
    int by_kill = 0;
    int by_stop = 0;        // accepted requests that failed because of a stop
    int before_accept = 0;  // part of by_stop: first on their connection, so maybe not accepted
    int of_living = 0;
    int refused_by_stopped = 0;
    int refused_by_living = 0;
  };
  Cuts cuts() const;
  // Returns the number of runs in which a process answered no request.
  std::size_t idle_lives() const;

 private:
  enum class End { none, killed, stopped };
  struct Record {
    End end = End::none;
    int answered = 0;
    int cut = 0;
    int cut_fresh = 0;
    int refused = 0;
  };

  void start(std::size_t which);
  void end_as(std::size_t which, End end);
  void take_out(std::optional<std::size_t> which);

  testing::Installation& installation_;
  mutable std::mutex mutex_;  // guards all members below
  std::array<testing::Installation::Service, 2> services_;
  std::array<Life, 2> lives_;
  std::optional<std::size_t> out_;  // the process that the balancer sends no requests to
  std::vector<Record> records_;
};

// A client with a connection to each process, for use by one coroutine. Both connections may be in
// use at once.
class PairClient {
 public:
  PairClient(boost::asio::io_context& loop, ProcessPair& pair, std::string key)
      : loop_{loop}, pair_{pair}, key_{std::move(key)} {}

  boost::asio::awaitable<testing::Answer> send(std::size_t which, testing::Ask ask);

 private:
  struct Line {
    std::optional<std::size_t> life;
    std::unique_ptr<testing::HttpClient> client;
  };

  boost::asio::io_context& loop_;
  ProcessPair& pair_;
  std::string key_;
  std::array<Line, 2> lines_;
};

}  // namespace shopbell::proofs
