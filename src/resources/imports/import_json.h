// An import as JSON: as it is shown, and as its job keeps it.
#pragma once

#include <string>

#include "jobs/job.h"
#include "json/fields.h"
#include "resources/imports/import.h"

namespace shopbell::imports {

const json::Table<Import>& import_json();

// What a job keeps of a wish: type, options, file, coding, fileName, bytes. And back.
std::string options_of(const Import& wish);
std::string result_of(const State& state);
Import import_of(const jobs::Job& job);

}  // namespace shopbell::imports
