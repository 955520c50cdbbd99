// The statement that gives the rows of an export, made of its columns and filters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "resources/exports/columns.h"
#include "resources/exports/export.h"

namespace shopbell::exports {

// The columns of the file, in their order: those asked for, or all of the format. A field that is
// gone by now stays as an empty column.
std::vector<Column> chosen_columns(const Export& wish, const std::vector<OwnField>& own);

// All that a wish without columns gets, but for who the buyers are.
std::vector<std::string> columns_without_contact(const Export& wish);

// Whether the type has such a column in the format; fields of the store itself are not looked at.
bool has_column(const Export& wish, const std::string& name);

struct Statement {
  std::string copy;     // COPY … TO STDOUT
  std::string plain;    // the rows alone, to ask how many there may be; empty: hard to tell
  bool header = false;  // the first row is one
};
Statement statement_of(const Export& wish, std::int64_t account,
                       const std::vector<Column>& columns);

// COPY that gives each row of a query as a line of JSON.
std::string lines_of(std::string_view name, const std::string& rows);

// Events of a contact, and of those that were merged into it.
std::string of_contact(const std::string& id, std::int64_t account);

}  // namespace shopbell::exports
