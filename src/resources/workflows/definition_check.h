// Checks a whole definition, without database access; reports every fault and its place.
#pragma once

#include "json/reading.h"
#include "resources/workflows/known_world.h"

namespace shopbell::workflows {

// Adds a fault to `reading` for everything wrong with the trigger, the nodes and the other parts:
// their form, the objects they name, the edges, and the types of compared values. Returns the
// objects that the definition names. Does not check other members of the workflow, such as its name
// and alias.
References check_definition(json::Reading& reading, const json::Value& definition,
                            const KnownWorld& world);

}  // namespace shopbell::workflows
