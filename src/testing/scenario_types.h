// The types that a file of src/engine/scenarios declares: its contact fields and the data of
// events.
#pragma once

#include "engine/definition.h"

namespace shopbell::testing {

engine::KnownTypes types_of_scenarios(const json::Value& file);

}  // namespace shopbell::testing
