#include "resources/imports/import_rules.h"

#include <gtest/gtest.h>

#include "resources/imports/import_json.h"

namespace shopbell::imports {
namespace {

std::string faults_of(const ImportRequest& request) {
  json::Reading reading;
  read_request(reading, request);
  std::string faults;
  try {
    reading.finish();
  } catch (const Problem& problem) {
    for (const auto& fault : problem.faults()) faults += fault.at + " " + fault.code + "\n";
  }
  return faults;
}

std::string faults_of(std::string type, std::string options) {
  return faults_of(ImportRequest{.type = std::move(type), .options = std::move(options)});
}

TEST(ImportRules, report_all_faults_at_once) {
  EXPECT_EQ(faults_of(ImportRequest{}), "/type required\n");
  EXPECT_EQ(faults_of("contacts", "{}"), "");
  EXPECT_EQ(faults_of("people", R"({"mode":"x","dryRun":1,"a":2})"),
            "/type not-an-option\n/options/mode not-an-option\n/options/dryRun wrong-type\n"
            "/options/a unknown-member\n");
  EXPECT_EQ(faults_of("contacts", "{"), "/options invalid-format\n");
  EXPECT_EQ(faults_of("contacts", "[]"), "/options wrong-type\n");
}

TEST(ImportRules, check_the_options_of_each_type) {
  EXPECT_EQ(faults_of("events", "{}"), "/options/eventType required\n");
  EXPECT_EQ(faults_of("events", R"({"eventType":""})"), "/options/eventType too-short\n");
  EXPECT_EQ(faults_of("coupons", R"({"mode":"createOnly"})"),
            "/options/mode unknown-member\n/options/couponSetId required\n");
  EXPECT_EQ(faults_of("contacts", R"({"couponSetId":"x","eventType":"y"})"),
            "/options/couponSetId unknown-member\n/options/eventType unknown-member\n");
  EXPECT_EQ(faults_of("products", R"({"matchBy":"email"})"), "/options/matchBy unknown-member\n");
  // Options of other types are valid with their default value, as in a response sent back.
  EXPECT_EQ(faults_of("coupons", R"({"couponSetId":"x","eventType":null,"mode":"upsert"})"), "");
  EXPECT_EQ(faults_of("contacts", R"({"format":"ndjson","delimiter":";"})"),
            "/options/delimiter conflicts-with\n");
}

std::string format_of(ImportRequest request) {
  json::Reading reading;
  request.type = "contacts";
  return read_request(reading, request).options.format;
}

TEST(ImportRules, detect_the_format) {
  EXPECT_EQ(format_of({}), "csv");
  EXPECT_EQ(format_of({.file_name = "a.ndjson"}), "ndjson");
  EXPECT_EQ(format_of({.file_name = "A.JSONL.GZ"}), "ndjson");
  EXPECT_EQ(format_of({.file_name = "a.ndjson", .content_type = "text/csv; charset=utf-8"}), "csv");
  EXPECT_EQ(format_of({.content_type = "application/x-ndjson"}), "ndjson");
  EXPECT_EQ(format_of({.file_name = "a.ndjson", .content_type = "application/octet-stream"}),
            "ndjson");
  EXPECT_EQ(format_of({.options = R"({"format":"csv"})", .file_name = "a.ndjson"}), "csv");
}

TEST(ImportRules, keep_only_the_name_of_a_file) {
  EXPECT_EQ(clean_file_name("contacts.csv"), "contacts.csv");
  EXPECT_EQ(clean_file_name("../../etc/passwd"), "passwd");
  EXPECT_EQ(clean_file_name("C:\\data\\käse.csv"), "käse.csv");
  EXPECT_EQ(clean_file_name("/a/.."), "");
  EXPECT_EQ(clean_file_name("a/"), "");
  EXPECT_EQ(clean_file_name(" a\n\x1b[2Jb\u202ecsv.exe\u0085 "), "a[2Jbcsv.exe");
  EXPECT_EQ(clean_file_name("\xff"), "");
  std::string longest;
  for (int i = 0; i < 255; ++i) longest += "ä";
  EXPECT_EQ(clean_file_name(longest + "ää"), longest);
}

TEST(ImportJson, survives_storing_with_the_job) {
  Import request;
  request.type = "events";
  request.options = {.format = "ndjson", .event_type = "cart-updated", .dry_run = true};
  request.file = "imports/7/x";
  request.coding = "zstd";
  request.file_name = "käse.ndjson";
  request.bytes = 1'073'741'824;
  State state{.position = 5, .row = 4, .created = 1, .updated = 2, .unchanged = 3, .failed = 1};
  state.errors = {{.row = 2, .pointer = "/email", .code = "invalid-format", .detail = "No."}};
  jobs::Job job;
  job.type = request.type;
  job.options = options_of(request);
  job.result = result_of(state);
  const Import back = import_of(job);
  EXPECT_EQ(options_of(back), options_of(request));
  EXPECT_EQ(result_of(back.state), result_of(state));
  EXPECT_EQ(back.state.errors.front().pointer, "/email");
  EXPECT_EQ(back.state.processed(), 7);
}

}  // namespace
}  // namespace shopbell::imports
