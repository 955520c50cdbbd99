// Export: rows of a store as a file. Holds the request and its outcome.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "base/uuid.h"
#include "json/field_kinds.h"
#include "resources/exports/watermark.h"

namespace shopbell::exports {

inline constexpr const char* kJobKind = "export";

// Types with special rules: reports, which count over time, and the export of all data of a person.
inline constexpr const char* kReports = "data-explorer";
inline constexpr const char* kPerson = "person";

// Identifies a contact by one of its identifiers.
struct ContactName {
  std::optional<std::string> id;
  std::optional<std::string> email;
  std::optional<std::string> external_id;
};

// Filters that select rows; each type and each report supports some of them.
struct Filters {
  std::optional<Instant> updated_after;
  std::optional<std::string> email_subscription;
  std::optional<std::string> sms_subscription;
  std::vector<std::string> tags;
  std::optional<Instant> from;
  std::optional<Instant> to;
  std::vector<std::string> kinds;
  std::optional<ContactName> contact;
  std::vector<std::string> status;
  std::vector<std::string> currencies;
  std::vector<std::string> product_ids;
  std::vector<std::string> availability;
  std::vector<std::string> categories;
  std::optional<std::string> coupon_set;
  std::optional<std::string> state;
  std::optional<std::string> since;  // watermark of an earlier export: only later changes
};

struct Progress {
  std::int64_t done = 0;
  std::optional<std::int64_t> total;
};

struct Export {
  Uuid id;
  // The members of the request.
  std::string type;
  std::string format = "csv";
  std::string compression = "none";
  std::string delimiter = ",";
  std::vector<std::string> columns;  // empty: all columns
  bool raw_text = false;
  Filters filters;
  // Members of a report; empty for other types.
  std::string report;
  std::string from;  // start: a day in the time zone, or an instant
  std::string to;    // end, exclusive
  std::string granularity;
  std::string time_zone;
  std::vector<std::string> group_by;
  // The outcome, shown in responses.
  std::string status = "queued";
  Progress progress;
  std::int64_t attempt = 0;
  std::optional<std::int64_t> rows;
  std::optional<std::int64_t> bytes;
  std::optional<std::string> sha256;
  std::optional<std::string> watermark;
  std::string file_name;
  std::optional<std::string> file_url;
  std::optional<json::Raw> error;
  Instant created_at;
  Instant updated_at;
  std::optional<Instant> started_at;
  std::optional<Instant> finished_at;
  std::optional<Instant> expires_at;

  // Internal members, which no API response contains.
  std::optional<std::string> file;  // name of the file in the storage
  std::optional<Moment> moment;     // the database snapshot that the file shows

  bool is_ndjson() const { return format == "ndjson"; }
  bool is_report() const { return type == kReports; }
  bool is_person() const { return type == kPerson; }
};

// Returns a name such as "contacts-20261115-020425.csv.gz". Reports use the report's name; the
// export of a person ends in .zip.
std::string file_name_of(const Export& made);

}  // namespace shopbell::exports
