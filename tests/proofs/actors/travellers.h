// Travellers: people who join a workflow, wait in it, and go on when an event tells them to. On a
// thread of its own they come and go until it is stopped.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/proofs/actors/workflow_shop.h"

namespace shopbell::proofs {

// The places to which the events `join` send people.
inline constexpr std::array<std::string_view, 3> kPlaces{"cart", "post", "call"};

// One way of a person through the workflow, which has one run.
struct Journey {
  std::size_t contact = 0;
  bool is_told_to_go = false;  // its acknowledged event lets the run leave its wait
};
// By the key of the run.
using Journeys = std::map<std::string, Journey>;

class Travellers {
 public:
  // The contacts of create_subscribers must exist, and the event types `join` and `go`.
  Travellers(const WorkflowShop& shop, std::size_t contacts, std::uint64_t seed);

  // Lets everybody of the first `people` contacts begin a journey.
  void join_all(std::size_t people);
  // Lets all people go on.
  void send_all_on();
  // Starts and stops the thread.
  void start();
  void stop();
  // May be used only while the thread is stopped.
  const Journeys& journeys() const { return journeys_; }

  std::atomic<std::int64_t> events = 0;  // acknowledged

 private:
  void join(const std::vector<std::size_t>& contacts);
  void run(const std::stop_token& stopping);
  std::size_t draw_contact();
  void send(const std::string& type, const std::string& lines, std::int64_t count);
  void send_on(const std::vector<std::string>& keys);

  const WorkflowShop& shop_;
  const std::size_t contacts_;
  std::size_t joined_ = 0;  // contacts that have a journey
  std::mt19937_64 random_;
  Journeys journeys_;
  std::vector<std::string> waiting_;  // keys of journeys that were not told to go
  std::string trouble_;
  std::jthread thread_;
};

}  // namespace shopbell::proofs
