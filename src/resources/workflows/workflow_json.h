// The workflow's wire names.
#pragma once

#include "json/fields.h"
#include "resources/workflows/workflow.h"

namespace shopbell::workflows {

const json::Table<Workflow>& workflow_json();          // with its definition
const json::Table<Workflow>& workflow_summary_json();  // as lists show it

// As it is sent: a new one, or a new draft of one that is there.
json::Schema new_workflow_schema();
json::Schema draft_schema();
// One that is valid in every account.
std::string example_workflow();

// The definition as it is kept: what people wrote of it, whole.
std::string definition_of(const Workflow& workflow);
void read_definition(std::string_view definition, Workflow& workflow);

}  // namespace shopbell::workflows
