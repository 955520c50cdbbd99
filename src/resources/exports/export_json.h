// The wire names of exports.
#pragma once

#include <string>
#include <string_view>

#include "jobs/job.h"
#include "json/fields.h"
#include "resources/exports/export.h"

namespace shopbell::exports {

const json::Table<Export>& export_json();
// As they are asked for: rows of a type, or a report.
const json::Table<Export>& new_export_json();
const json::Table<Export>& new_report_json();

// What is asked for, by the rules between its members, too.
Export read_wish(const json::Value& body, json::Reading& reading);
Export read_report(const json::Value& body, json::Reading& reading, Instant now);

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
