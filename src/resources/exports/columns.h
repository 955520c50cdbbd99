// Columns: the columns of each export type, as SQL. PostgreSQL formats the cells, so that rows are
// passed through without being parsed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shopbell::exports {

struct Column {
  std::string name;      // name in the API: "firstName", "fields.size", "lines.quantity"
  std::string cell;      // SQL of the CSV cell; empty: CSV files lack the column
  std::string value;     // SQL of the JSON value; empty: NDJSON files lack the column
  bool guarded = false;  // free text, which a spreadsheet might run as a formula
};

// Returns SQL for a time as the API writes it.
std::string text_of_time(std::string at);

// Returns the columns of an export type, without the store's own contact fields.
const std::vector<Column>& columns_of(std::string_view type);

// A contact field that the store added. Contacts store its values under its number.
struct OwnField {
  std::string id;
  std::string number;
  std::string type;
  std::string default_value;  // JSON default; empty unless the field is required
};
Column column_of(const OwnField& field);

inline constexpr std::string_view kOwnFields = "fields.";
inline constexpr std::string_view kLines = "lines.";      // CSV: one row per purchase line
inline constexpr std::string_view kContact = "contact.";  // prefix of buyer columns, except the id

}  // namespace shopbell::exports
