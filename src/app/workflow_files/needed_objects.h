// Reads the section `needs` of a workflow file with the rules of the operations that create the
// objects.
#pragma once

#include <vector>

#include "app/workflow_files/workflow_file.h"
#include "json/reading.h"

namespace shopbell::app {

// Adds a fault to `reading` for everything that the operations would refuse, but knows nothing of
// the account's objects.
std::vector<NeededObject> read_needed_objects(json::Reading& reading, const json::Value& needs);

}  // namespace shopbell::app
