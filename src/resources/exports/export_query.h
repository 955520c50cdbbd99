// Builds the statement that selects the rows of an export, from its columns and filters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "resources/exports/columns.h"
#include "resources/exports/export.h"

namespace shopbell::exports {

// Returns the columns of the file, in order: the requested ones, or all of the format. A contact
// field that was deleted after the request becomes an empty column.
std::vector<Column> chosen_columns(const Export& request, const std::vector<OwnField>& own);

// Returns all columns of the type, except the identifiers of the buyer.
std::vector<std::string> columns_without_contact(const Export& request);

// True if the type has the column in this format; ignores the store's own contact fields.
bool has_column(const Export& request, const std::string& name);

struct Statement {
  std::string copy;     // the statement COPY … TO STDOUT
  std::string plain;    // the query alone, to estimate its rows; empty: no estimate
  bool header = false;  // true if the first row is the header
};
Statement statement_of(const Export& request, std::int64_t account,
                       const std::vector<Column>& columns);

// Returns a COPY statement that writes each row of a query as a line of JSON.
std::string lines_of(std::string_view name, const std::string& rows);

// Returns the condition for events of a contact and of contacts that were merged into it.
std::string of_contact(const std::string& id, std::int64_t account);

}  // namespace shopbell::exports
