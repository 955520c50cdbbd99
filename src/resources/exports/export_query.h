// Builds the statement that selects the rows of an export, from its columns and filters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "resources/exports/columns.h"
#include "resources/exports/export.h"

namespace shopbell::exports {

// The columns of the file, in their order: the requested ones, or all of the format. A contact
// field that was deleted since becomes an empty column.
std::vector<Column> chosen_columns(const Export& request, const std::vector<OwnField>& own);

// All columns of the type, except the identifiers of the buyer.
std::vector<std::string> columns_without_contact(const Export& request);

// True if the type has the column in the format; does not look at the store's contact fields.
bool has_column(const Export& request, const std::string& name);

struct Statement {
  std::string copy;     // COPY … TO STDOUT
  std::string plain;    // the query alone, to estimate its rows; empty: no estimate
  bool header = false;  // the first row is the header
};
Statement statement_of(const Export& request, std::int64_t account,
                       const std::vector<Column>& columns);

// A COPY statement that writes each row of a query as a line of JSON.
std::string lines_of(std::string_view name, const std::string& rows);

// The condition for events of a contact, and of contacts that were merged into it.
std::string of_contact(const std::string& id, std::int64_t account);

}  // namespace shopbell::exports
