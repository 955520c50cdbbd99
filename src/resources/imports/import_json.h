// An import as JSON: in the API, and as stored with its job.
#pragma once

#include <string>

#include "jobs/job.h"
#include "json/fields.h"
#include "resources/imports/import.h"

namespace shopbell::imports {

const json::Table<Import>& import_json();

// A job stores the request (type, options, file, coding, fileName, bytes) as its options and the
// progress as its result. import_of() reads both.
std::string options_of(const Import& request);
std::string result_of(const State& state);
Import import_of(const jobs::Job& job);

}  // namespace shopbell::imports
