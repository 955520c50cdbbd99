// Flow: a random workflow. Its versions have the same trigger and re-entry, and different nodes.
#pragma once

#include <string>

#include "engine/definition.h"
#include "simulator/random.h"

namespace shopbell::simulator {

// The kind of event of products that runs wait for.
inline constexpr const char* kProductEvent = "product.back-in-stock";

class Flow {
 public:
  explicit Flow(Random& random);

  // A random version, as JSON.
  std::string definition(Random& random) const;
  // True if a contact has at most one open run.
  bool is_single() const { return mode_ == "once" || mode_ == "afterExit"; }
  const std::string& mode() const { return mode_; }

 private:
  std::string node(Random& random, int number, int nodes) const;

  std::string trigger_;
  std::string mode_;
  std::string reentry_;
  bool has_schedule_ = false;  // a schedule starts it, and not events
  bool has_key_ = false;
};

// A workflow that starts itself until its runs are parked.
std::string endless_definition();

// The types with which the definitions are compiled.
engine::KnownTypes types_of_flows();

}  // namespace shopbell::simulator
