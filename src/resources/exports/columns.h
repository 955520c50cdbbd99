// Columns: the columns of each export type, as SQL. PostgreSQL formats the cells, so that rows are
// passed through without being parsed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shopbell::exports {

struct Column {
  std::string name;      // as in the API: "firstName", "fields.size", "lines.quantity"
  std::string cell;      // SQL of the CSV cell; empty: not in CSV files
  std::string value;     // SQL of the JSON value; empty: not in NDJSON files
  bool guarded = false;  // free text, which a spreadsheet might run as a formula
};

// The columns of the type, without the store's own contact fields.
const std::vector<Column>& columns_of(std::string_view type);

// A contact field of the store. Contacts store its values under its number.
struct OwnField {
  std::string id;
  std::string number;
  std::string type;
  std::string default_value;  // JSON; empty unless the field is required
};
Column column_of(const OwnField& field);

inline constexpr std::string_view kOwnFields = "fields.";
inline constexpr std::string_view kLines = "lines.";      // one row per line
inline constexpr std::string_view kContact = "contact.";  // identifiers other than the contact's id

}  // namespace shopbell::exports
