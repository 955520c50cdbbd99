// Simulates workflows on a virtual clock, under failures. Then removes the mechanisms that the
// rules depend on, one at a time: each removal must be noticed.
#include <algorithm>
#include <format>
#include <print>
#include <stdexcept>

#include "simulator/simulation.h"
#include "tests/proofs/actors/proof.h"

namespace shopbell::proofs {

namespace {

using simulator::Mechanism;
using simulator::Outcome;

constexpr int kQuickSeeds = 200;
constexpr std::int64_t kWorkflowDays = 1'000'000;
constexpr int kRemovalSeeds = 400;  // within which a removal must be noticed

simulator::Size size_of(const Setting& setting) {
  simulator::Size size =
      setting.quick ? simulator::Size{} : simulator::Size{.days = 60, .actions = 3000};
  if (setting.days > 0) size.days = setting.days;
  return size;
}

struct Totals {
  std::int64_t seeds = 0;
  Outcome sum;

  void add(const Outcome& outcome) {
    ++seeds;
    sum.workflow_days += outcome.workflow_days;
    sum.batches += outcome.batches;
    sum.inputs += outcome.inputs;
    sum.crashes += outcome.crashes;
    sum.refused += outcome.refused;
    sum.runs += outcome.runs;
  }
  std::string text() const {
    return std::format(
        "{} seeds, {} workflow-days, {} runs ended, {} inputs in {} transactions, {} crashes, {} "
        "transactions refused",
        seeds, sum.workflow_days, sum.runs, sum.inputs, sum.batches, sum.crashes, sum.refused);
  }
};

std::string replay_of(const Setting& setting, std::uint64_t seed) {
  return std::format("tools/prove simulate --seeds 1 --seed {}{}{}{}", seed,
                     setting.quick ? " --quick" : "",
                     setting.days > 0 ? std::format(" --days {}", setting.days) : "",
                     setting.without.empty() ? "" : " --without " + setting.without);
}

// Removes each mechanism. Returns the number of seeds until each removal was noticed.
std::string notice_removals(std::uint64_t seed, bool& all) {
  std::string text;
  for (const Mechanism mechanism : simulator::all_mechanisms()) {
    int seeds = 0;
    bool found = false;
    while (!found && seeds < kRemovalSeeds)
      found = simulator::simulate(seed + static_cast<std::uint64_t>(seeds++), {}, mechanism)
                  .violation.has_value();
    all = all && found;
    progress(std::format("without {}: {} seeds", simulator::name_of(mechanism), seeds));
    text += std::format("{} {} {}", text.empty() ? "" : ",", simulator::name_of(mechanism),
                        found ? std::to_string(seeds) : "NEVER");
  }
  return text;
}

}  // namespace

Verdict simulate(const Setting& setting) {
  Mechanism removed = Mechanism::none;
  if (!setting.without.empty()) {
    const auto known = simulator::mechanism_of(setting.without);
    if (!known) throw std::invalid_argument{"there is no mechanism " + setting.without};
    removed = *known;
  }
  const simulator::Size size = size_of(setting);
  Totals totals;
  const auto is_over = [&] {
    if (setting.seeds > 0) return totals.seeds >= setting.seeds;
    return setting.quick ? totals.seeds >= kQuickSeeds : totals.sum.workflow_days >= kWorkflowDays;
  };
  for (std::uint64_t seed = setting.seed; !is_over(); ++seed) {
    const Outcome outcome = simulator::simulate(seed, size, removed);
    totals.add(outcome);
    if (outcome.violation) {
      progress("");
      std::println("{}\nrepeat it: {}", *outcome.violation, replay_of(setting, seed));
      return {.holds = false,
              .figures = std::format("{}: VIOLATION with seed {}", totals.text(), seed)};
    }
    if (totals.seeds % 10 == 0) progress(totals.text());
  }
  Verdict verdict{.holds = true, .figures = totals.text() + ": 0 violations"};
  if (setting.seeds == 0)
    verdict.figures += "; seeds until the removal of a mechanism was noticed:" +
                       notice_removals(setting.seed, verdict.holds);
  return verdict;
}

}  // namespace shopbell::proofs
