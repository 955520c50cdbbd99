// Import: creates or updates contacts, products, purchases, coupons or events from the rows of a
// file. Holds the request and its progress.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "base/uuid.h"
#include "jobs/job.h"
#include "json/field_kinds.h"

namespace shopbell::imports {

inline constexpr const char* kJobKind = "import";

struct Options {
  std::string format = "csv";            // csv, ndjson
  std::optional<std::string> delimiter;  // of CSV; detected if empty
  std::string mode = "upsert";           // upsert, createOnly, updateOnly
  bool only_empty = false;               // do not overwrite existing values
  std::string match_by = "auto";         // auto, externalId, email
  std::string on_invalid = "row";        // row, cell: what to skip of an invalid row
  std::optional<std::string> coupon_set_id;
  std::optional<std::string> event_type;
  bool dry_run = false;
  std::string trigger_workflows = "none";  // all, exitsOnly, none
};

// An error in a row.
struct RowError {
  std::int64_t row = 0;  // 1-based, without the header
  std::string pointer;
  std::string code;
  std::string detail;
};

// The progress. Committed in the transaction of the rows it counts.
struct State {
  std::int64_t position = 0;  // offset in the uncompressed file after the last applied row
  std::int64_t row = 0;       // number of that row
  std::int64_t created = 0;
  std::int64_t updated = 0;
  std::int64_t unchanged = 0;
  std::int64_t failed = 0;
  std::vector<RowError> errors;            // the first 20
  std::optional<std::string> report_file;  // name in the storage, once finished

  std::int64_t processed() const { return created + updated + unchanged + failed; }
};

struct Import {
  Uuid id;
  std::string type;  // contacts, products, purchases, coupons, events
  Options options;
  std::string status = "queued";
  std::optional<std::int64_t> total;  // rows; an estimate until the end
  State state;
  std::string file_name;   // as sent by the client, without a path
  std::int64_t bytes = 0;  // of the file as sent
  std::optional<std::int64_t> rows_per_second;
  std::int64_t attempt = 0;
  std::optional<std::string> error_report_url;
  std::optional<json::Raw> error;  // the problem that ended it
  Instant created_at;
  Instant updated_at;
  std::optional<Instant> started_at;
  std::optional<Instant> finished_at;
  std::optional<Instant> expires_at;

  // Internal.
  std::string file;             // name in the storage
  std::string coding = "none";  // compression of the stored file: none, gzip, zstd
};

}  // namespace shopbell::imports
