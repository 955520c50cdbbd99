// The contract tests of the lanes' store, and the databases that they run on.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "automation/lane_store.h"

namespace shopbell::simulator {

using automation::EventKey;
using automation::LaneStore;
using boost::asio::awaitable;
using Work = std::function<awaitable<void>(LaneStore&)>;
using Texts = std::vector<std::string>;

// A database that the tests prepare and inspect.
class Backing {
 public:
  virtual ~Backing() = default;
  virtual std::int64_t account() const = 0;
  virtual void add_contact(const Uuid& contact) = 0;
  virtual void merge(const Uuid& from, const Uuid& into) = 0;
  virtual EventKey add_event(const Uuid& contact, const std::string& kind) = 0;
  virtual std::int64_t make_tick() = 0;
  virtual void add_codes(const Texts& codes) = 0;  // of the set "ten"
  virtual void lock(const Uuid& contact) = 0;      // by another transaction
  virtual void unlock() = 0;
  // Returns false if the transaction was refused.
  virtual bool transact(Work work) = 0;
  virtual Instant now() const = 0;
  virtual Texts timers() = 0;    // ids of runs
  virtual Texts messages() = 0;  // "state reason contact", sorted
  virtual Texts past() = 0;      // "contact run" of ended runs
  virtual std::int64_t people(const std::string& counter) = 0;
  virtual std::int64_t waits() = 0;
  virtual std::int64_t free_codes() = 0;
  virtual std::int64_t events(const std::string& kind) = 0;
  virtual std::int64_t payloads(const std::string& kind) = 0;  // events that have theirs
};

std::unique_ptr<Backing> make_memory();
std::unique_ptr<Backing> make_postgresql();

}  // namespace shopbell::simulator
