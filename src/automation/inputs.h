// Inputs: the work of a batch, by contact.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "automation/lane_store.h"
#include "automation/rows.h"
#include "engine/person.h"
#include "event_log/reader.h"

namespace shopbell::automation {

// Internal kinds of events that the lanes apply.
inline constexpr std::string_view kRunCommand = "run-command";
inline constexpr std::string_view kScheduleStart = "schedule-start";
inline constexpr std::string_view kWake = "wake";
inline constexpr std::string_view kAdopt = "adopt";
inline constexpr std::string_view kForward = "forward";

// An event of the contact.
struct HappenedEvent {
  engine::Event event;
  std::optional<EventKey> key;  // of the row in `event`; nullopt if it was forwarded
  bool follows_merge = false;   // goes on to the contact that this one was merged into
  std::string purchase = {};    // the store's id of the purchase that it is about; empty: none
};
struct FiredTimer {
  Uuid run;
  Instant due_at;
};
struct RunCommand {
  Uuid run;
  engine::Command command;
};
struct ScheduleStart {
  Uuid workflow;
  std::int64_t version = 0;
  engine::ScheduleTime time;
  bool is_baseline = false;  // only note whether the condition holds
};
// The contact was erased.
struct Erasure {};
// The contact was merged into another: its runs end, and the other adopts its enrolments.
struct Handover {
  Uuid into;
};
struct Adoption {
  std::vector<engine::Enrolment> enrolments;
};
// A timer whose transaction failed alone.
struct Failure {
  Uuid run;
  std::string why;
};

struct Input {
  std::variant<HappenedEvent, FiredTimer, RunCommand, ScheduleStart, Erasure, Handover, Adoption,
               Failure>
      what;
  Instant now;
  std::int64_t hops = 0;
  Before before;
};

using Inputs = std::map<ContactKey, std::vector<Input>>;

// The inputs of every contact, in order.
Inputs inputs_of(const event_log::Work& work);

// The event as conditions see it, with its data.
engine::Event engine_event_of(const event_log::Entry& entry);

// The store's id of the purchase that the event is about; empty: none.
std::string purchase_of(const event_log::Entry& entry);

// The payload of `adopt`, and of `forward`.
std::string adoption_to_json(const std::vector<engine::Enrolment>& enrolments);
std::string forward_to_json(const HappenedEvent& happened);

}  // namespace shopbell::automation
