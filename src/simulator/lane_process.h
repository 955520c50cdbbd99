// LaneProcess: a simulated process that runs the lanes of the workflows. It takes batches of
// events and due timers in turn, as the loop over PostgreSQL does, and can die at any statement.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "event_log/cohort.h"
#include "event_log/lane_timers.h"
#include "simulator/memory_definitions.h"
#include "simulator/memory_store.h"
#include "simulator/model.h"
#include "simulator/random.h"

namespace shopbell::simulator {

struct ProcessSetting {
  int number = 0;
  Mechanism removed = Mechanism::none;
  bool has_faults = true;
  std::function<void(std::string_view statement)> before;  // other things happen here
};

class LaneProcess {
 public:
  LaneProcess(World& world, Model& model, Random& random, ProcessSetting setting)
      : world_{world},
        model_{model},
        random_{random},
        setting_{std::move(setting)},
        definitions_{world, setting_.removed} {}

  // Learns which groups it owns, as from a heartbeat.
  void beat();
  // Processes a page of events, or due timers. Returns false if there was nothing to do.
  bool step();
  // Processes events beside a batch of due timers of this process that is still open.
  void overlap();
  // Loses its memory.
  void restart();

  int number() const { return setting_.number; }
  std::int64_t batches() const { return batches_; }
  std::int64_t refused() const { return refused_; }
  std::int64_t crashes() const { return crashes_; }

 private:
  using Groups = std::set<std::int16_t>;

  bool read(const event_log::Cohort& cohort);
  bool fire(const event_log::Cohort& cohort);
  event_log::DueTimers due_timers(const std::map<std::int16_t, event_log::Mark>& marks, Instant at,
                                  std::int64_t most) const;
  // Returns the groups that were left out because a contact is locked.
  Groups react(event_log::Work work, std::vector<Held> lanes, const Position& to);
  void transact(const event_log::Work& work, const std::vector<Held>& lanes, const Position& to,
                bool saves_all);
  void delete_fired(const std::vector<Held>& lanes);
  Faults faults();
  void drop();

  World& world_;
  Model& model_;
  Random& random_;
  const ProcessSetting setting_;
  MemoryDefinitions definitions_;
  std::map<std::int16_t, Held> held_;
  event_log::LaneTimers timers_;
  std::map<std::int16_t, int> busy_;  // steps that a group is left out
  bool fires_next_ = false;
  bool is_firing_ = false;
  std::int64_t batches_ = 0;
  std::int64_t refused_ = 0;
  std::int64_t crashes_ = 0;
};

}  // namespace shopbell::simulator
