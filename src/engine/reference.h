// Reference: a path to a value, such as "contact.fields.level" or "event.data.total". Compiled once
// with its type, and read from the data of each step.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/value_type.h"

namespace shopbell::engine {

// The types of the values that a definition can refer to at one place. Conditions beside an event
// see that event, conditions of a list see its item.
struct ReferenceTypes {
  ValueType contact;
  ValueType store;
  ValueType trigger;   // the event that started the run
  ValueType run_item;  // `run.item`
  std::map<std::string, ValueType, std::less<>> variables;
  std::optional<ValueType> event;
  std::optional<ValueType> item;
  bool in_run = true;  // true: the trigger, key and variables of a run exist
};

// Returns the type of the value that the path names; nullopt if there is none at this place.
std::optional<ValueType> type_at(std::string_view path, const ReferenceTypes& types);

struct Reference {
  enum class Root { contact, store, event, item, trigger, run, variable, schedule };

  Root root = Root::contact;
  std::string path;  // below the root: "fields.level"
  ValueType::Kind kind = ValueType::Kind::any;
};

// Throws std::invalid_argument if there is no such value.
Reference compile_reference(std::string_view path, const ReferenceTypes& types);

}  // namespace shopbell::engine
