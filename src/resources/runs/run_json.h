// Runs as JSON.
#pragma once

#include "json/fields.h"
#include "resources/runs/run.h"

namespace shopbell::runs {

const json::Table<Run>& run_json();          // a run with its timeline
const json::Table<Run>& run_summary_json();  // a list entry

}  // namespace shopbell::runs
