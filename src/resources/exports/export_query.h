// The statement that gives the rows of an export, made of its columns and filters.
#pragma once

#include <cstdint>
#include <string>
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

}  // namespace shopbell::exports
