// Import: a file of rows that become contacts, products, purchases, coupons or events of a store.
// What was asked for, and what has become of it.
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
  std::optional<std::string> delimiter;  // of CSV; nothing: found out from the header
  std::string mode = "upsert";           // upsert, createOnly, updateOnly
  bool only_empty = false;               // members that have a value keep it
  std::string match_by = "auto";         // auto, externalId, email
  std::string on_invalid = "row";        // row, cell: what of a row with a fault is left out
  std::optional<std::string> coupon_set_id;
  std::optional<std::string> event_type;
  bool dry_run = false;
  std::string trigger_workflows = "none";  // all, exitsOnly, none
};

// What is wrong with a row.
struct RowError {
  std::int64_t row = 0;  // of the data, from 1; the header is none
  std::string pointer;
  std::string code;
  std::string detail;
};

// How far it is. Written in the transaction of the rows it counts.
struct State {
  std::int64_t position = 0;  // the byte of the plain file after the last row that was applied
  std::int64_t row = 0;       // its number
  std::int64_t created = 0;
  std::int64_t updated = 0;
  std::int64_t unchanged = 0;
  std::int64_t failed = 0;
  std::vector<RowError> errors;            // the first 20
  std::optional<std::string> report_file;  // in the storage, once it has finished

  std::int64_t processed() const { return created + updated + unchanged + failed; }
};

struct Import {
  Uuid id;
  std::string type;  // contacts, products, purchases, coupons, events
  Options options;
  std::string status = "queued";
  std::optional<std::int64_t> total;  // rows; told when the file was read to its end
  State state;
  std::string file_name;   // as the client called it, without any path
  std::int64_t bytes = 0;  // of the file as it was sent
  std::optional<std::int64_t> rows_per_second;
  std::int64_t attempt = 0;
  std::optional<std::string> error_report_url;
  std::optional<json::Raw> error;  // the problem it ended with
  Instant created_at;
  Instant updated_at;
  std::optional<Instant> started_at;
  std::optional<Instant> finished_at;
  std::optional<Instant> expires_at;

  // Not shown.
  std::string file;             // in the storage
  std::string coding = "none";  // none, gzip, zstd: how the stored file is packed
};

}  // namespace shopbell::imports
