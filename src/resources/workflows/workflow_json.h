// Workflows as JSON.
#pragma once

#include "json/fields.h"
#include "resources/workflows/workflow.h"

namespace shopbell::workflows {

const json::Table<Workflow>& workflow_json();          // a workflow with its definition
const json::Table<Workflow>& workflow_summary_json();  // list entry without the definition

// Schemas of the request bodies: of a new workflow, and of the draft of an existing one.
json::Schema new_workflow_schema();
json::Schema draft_schema();
// Returns an example that is valid in every account.
std::string example_workflow();

// Returns the definition as it is stored: all writable members.
std::string definition_of(const Workflow& workflow);
void read_definition(std::string_view definition, Workflow& workflow);

}  // namespace shopbell::workflows
