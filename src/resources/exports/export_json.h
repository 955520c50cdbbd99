// The wire names of exports.
#pragma once

#include <string>
#include <string_view>

#include "jobs/job.h"
#include "json/fields.h"
#include "resources/exports/export.h"

namespace shopbell::exports {

const json::Table<Export>& export_json();

// The rules between the members of what is asked for: which filters a type has and needs.
void check_wish(json::Reading& reading, const Export& wish);

// What is kept of a wish with its job, and an export as its job tells it.
std::string options_of(const Export& wish);
Export export_of(const jobs::Job& job);

// What is kept of the end.
struct Outcome {
  Moment moment;
  std::int64_t rows = 0;
  std::int64_t bytes = 0;
  std::string sha256;
};
std::string result_of(const Outcome& outcome, const std::string& file);

}  // namespace shopbell::exports
