// The definition of a workflow as a JSON Schema (2020-12). `shopbell workflow schema` prints it;
// docs/api/workflow.json is generated from it.
#pragma once

#include <string>

namespace shopbell::workflows {

std::string definition_schema();

}  // namespace shopbell::workflows
