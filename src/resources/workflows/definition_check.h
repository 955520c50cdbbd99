// The check of a definition: whole, without asking anybody, with every fault and where it is.
#pragma once

#include "json/reading.h"
#include "resources/workflows/known_world.h"

namespace shopbell::workflows {

// Refuses in `reading` whatever is wrong with the trigger, the nodes and the parts beside them: how
// each looks, what it names, where the edges lead, and conditions down to the types of what they
// compare. Says what the definition names. Members of the workflow itself (its name, its alias) are
// not its concern.
References check_definition(json::Reading& reading, const json::Value& definition,
                            const KnownWorld& world);

}  // namespace shopbell::workflows
