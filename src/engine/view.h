// View: everything that conditions and references can read at one step.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/facts.h"
#include "engine/reference.h"
#include "engine/run.h"
#include "engine/value.h"

namespace shopbell::engine {

struct View {
  Instant now;
  Zone zone = nullptr;  // of the contact, else of the store
  Data contact;
  Data store;
  Data event;                       // the event that is judged, if any
  std::optional<json::Value> item;  // the list element that is judged, if any
  const Run* run = nullptr;         // null in triggers
  std::string schedule_date;        // "2026-11-18" in the trigger of a schedule
  const Facts* facts = nullptr;
  std::vector<Need>* needs = nullptr;

  Value read(const Reference& reference) const;
  // Returns the value as JSON; "null" if there is none.
  std::string read_json(const Reference& reference) const;

 private:
  std::optional<json::Value> find(const Reference& reference) const;
  std::optional<Value> computed(const Reference& reference) const;
};

}  // namespace shopbell::engine
