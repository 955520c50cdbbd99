// Simulation: one simulated run of the workflows of a store, from its seed: processes that crash
// and lose their lanes, a store, senders and operators, and the model that checks every commit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/actors.h"
#include "simulator/lane_process.h"
#include "simulator/model.h"

namespace shopbell::simulator {

struct Size {
  int days = 8;       // of virtual time
  int actions = 500;  // of processes, the store, senders and operators
};

struct Outcome {
  std::optional<std::string> violation;  // with the last events of the contact
  std::int64_t workflow_days = 0;
  std::int64_t batches = 0;
  std::int64_t inputs = 0;
  std::int64_t crashes = 0;
  std::int64_t refused = 0;
  std::int64_t runs = 0;
};

Outcome simulate(std::uint64_t seed, const Size& size, Mechanism removed = Mechanism::none);

// The mechanism of that name, such as "fence".
std::optional<Mechanism> mechanism_of(std::string_view name);
std::string_view name_of(Mechanism mechanism);
const std::vector<Mechanism>& all_mechanisms();

}  // namespace shopbell::simulator
