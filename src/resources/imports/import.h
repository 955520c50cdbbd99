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
  std::string format = "csv";            // "csv" or "ndjson"
  std::optional<std::string> delimiter;  // CSV delimiter; detected if not set
  std::string mode = "upsert";           // "upsert", "createOnly" or "updateOnly"
  bool only_empty = false;               // true: do not overwrite existing values
  std::string match_by = "auto";         // "auto", "externalId" or "email"
  std::string on_invalid = "row";        // skip the invalid "row", or only the invalid "cell"
  std::optional<std::string> coupon_set_id;
  std::optional<std::string> event_type;
  bool dry_run = false;
  std::string trigger_workflows = "none";  // "all", "exitsOnly" or "none"
};

// An error in a row.
struct RowError {
  std::int64_t row = 0;  // 1-based row number, not counting the header
  std::string pointer;
  std::string code;
  std::string detail;
};

// The progress of an import. Committed in the same transaction as the rows that it counts.
struct State {
  std::int64_t position = 0;  // offset in the uncompressed file after the last applied row
  std::int64_t row = 0;       // number of the last applied row
  std::int64_t created = 0;
  std::int64_t updated = 0;
  std::int64_t unchanged = 0;
  std::int64_t failed = 0;
  std::vector<RowError> errors;            // the first 20 row errors
  std::optional<std::string> report_file;  // name of the report in the storage, once finished

  std::int64_t processed() const { return created + updated + unchanged + failed; }
};

struct Import {
  Uuid id;
  std::string type;  // "contacts", "products", "purchases", "coupons" or "events"
  Options options;
  std::string status = "queued";
  std::optional<std::int64_t> total;  // number of rows; an estimate until the end
  State state;
  std::string file_name;   // file name that the client sent, without a path
  std::int64_t bytes = 0;  // size of the file as it was sent
  std::optional<std::int64_t> rows_per_second;
  std::int64_t attempt = 0;
  std::optional<std::string> error_report_url;
  std::optional<json::Raw> error;  // the problem that ended the import
  Instant created_at;
  Instant updated_at;
  std::optional<Instant> started_at;
  std::optional<Instant> finished_at;
  std::optional<Instant> expires_at;

  // Internal members, which no API response contains.
  std::string file;             // name of the file in the storage
  std::string coding = "none";  // compression of the stored file: none, gzip, zstd
};

}  // namespace shopbell::imports
