// The rules that an import is checked against before it is queued, by a request or by a command.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json/fields.h"
#include "json/reading.h"
#include "pg/group.h"
#include "pg/result.h"
#include "resources/imports/import.h"

namespace shopbell::imports {

std::vector<std::string> types();
// Returns the scopes that an import of the type requires.
const std::vector<std::string>& write_scopes(const std::string& type);
// Returns the scopes that a caller needs to read the report of its failed rows.
std::vector<std::string> read_scopes(const std::string& type);

const json::Table<Options>& options_json();

// The request as it was sent.
struct ImportRequest {
  std::optional<std::string> type;
  std::optional<std::string> options;       // import options as JSON
  std::string file_name;                    // file name that the client sent
  std::optional<std::string> content_type;  // content type of the file
};

// Adds faults at /type and in /options to the reading.
Import read_request(json::Reading& reading, const ImportRequest& request);

// Reads the coupon set and the event type that the options name: two results.
void read_names(pg::Group& reads, std::int64_t account, const Import& request);
// Replaces the names by ids; adds a fault for each unknown name.
void resolve_names(json::Reading& reading, Import& request, std::span<const pg::Result> found);

// Returns the last part of the path, without control and text-direction characters, at most
// limits::kFileNameCharacters long; empty if nothing is left.
std::string clean_file_name(std::string_view sent);

}  // namespace shopbell::imports
