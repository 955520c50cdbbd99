// Exports as JSON.
#pragma once

#include <string>
#include <string_view>

#include "jobs/job.h"
#include "json/fields.h"
#include "resources/exports/export.h"

namespace shopbell::exports {

const json::Table<Export>& export_json();
// The JSON of requests: for an export of rows, and for a report.
const json::Table<Export>& new_export_json();
const json::Table<Export>& new_report_json();

// Read a request from its body, and check the rules that involve several members.
Export read_request(const json::Value& body, json::Reading& reading);
Export read_report(const json::Value& body, json::Reading& reading, Instant now);

// options_of() returns the request as stored with its job; export_of() reads the export of a job.
std::string options_of(const Export& request);
Export export_of(const jobs::Job& job);

// The outcome of an export, as stored with the job.
struct Outcome {
  Moment moment;
  std::int64_t rows = 0;
  std::int64_t bytes = 0;
  std::string sha256;
};
std::string result_of(const Outcome& outcome, const std::string& file);

}  // namespace shopbell::exports
