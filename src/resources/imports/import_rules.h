// What is decided about an import before it is queued, whoever asks: a request, or an operator at
// the terminal.
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
// The scope that writing such things needs.
std::string scope_of(const std::string& type);
// Of people that its rows name and nobody knows.
bool makes_contacts(const std::string& type);

const json::Table<Options>& options_json();

// As a request brings it: texts, each of which may be missing.
struct Wish {
  std::optional<std::string> type;
  std::optional<std::string> options;       // JSON
  std::string file_name;                    // as the client calls it
  std::optional<std::string> content_type;  // of the file
};

// Faults are found at /type and in /options.
Import read_wish(json::Reading& reading, const Wish& wish);

// What the names in it stand for: two results.
void read_names(pg::Group& reads, std::int64_t account, const Import& wish);
// They become ids; refuses those that stand for nothing.
void settle_names(json::Reading& reading, Import& wish, std::span<const pg::Result> found);

// The last part of a path, without what a terminal, a browser or a file system would take for more
// than a name; empty when nothing is left.
std::string clean_file_name(std::string_view sent);

}  // namespace shopbell::imports
