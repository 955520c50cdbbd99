// Columns: what a row of each type has, as SQL. The database shapes the cells, so that rows pass
// through without being looked at.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shopbell::exports {

struct Column {
  std::string name;      // as the interface has it: "firstName", "fields.size", "lines.quantity"
  std::string cell;      // SQL of a CSV cell; empty: not in such a file
  std::string value;     // SQL of a JSON value; empty: not in such a file
  bool guarded = false;  // text that people wrote: a spreadsheet might run it
};

// Those of the type; without the contact fields that a store has added.
const std::vector<Column>& columns_of(std::string_view type);

// One of those: its values are kept by its number.
struct OwnField {
  std::string id;
  std::string number;
  std::string type;
  std::string default_value;  // JSON, of a required one; else empty
};
Column column_of(const OwnField& field);

inline constexpr std::string_view kOwnFields = "fields.";
inline constexpr std::string_view kLines = "lines.";      // one row each
inline constexpr std::string_view kContact = "contact.";  // who it is, beside the contact's id

}  // namespace shopbell::exports
