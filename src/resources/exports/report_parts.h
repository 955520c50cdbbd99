// Parts of the statements of reports: the time range, and plain columns.
#pragma once

#include <string>
#include <string_view>

#include "resources/exports/columns.h"
#include "resources/exports/export.h"

namespace shopbell::exports {

// The time range of a report, [from, to), split into periods of the time zone. The bounds are
// constants, so that the planner can use indexes and prune partitions.
class Time {
 public:
  explicit Time(const Export& request);

  const std::string& from() const { return from_; }
  const std::string& to() const { return to_; }

  std::string holds(std::string_view at) const;
  // Returns SQL for the first day of the period that contains `at`.
  std::string period_of(std::string_view at) const;
  // Returns SQL that lists all periods, as a.period.
  std::string all() const;

 private:
  std::string instant_of(const std::string& text) const;

  const std::string zone_;
  const std::string unit_;
  const std::string from_;
  const std::string to_;
};

// Returns SQL for the number of fraction digits of a currency.
std::string digits_of(std::string_view currency);

Column plain(const std::string& name);
// A column for an amount as the API writes it: text with all digits, at least r.digits.
Column amount(const std::string& name);
// A column of free text, which a spreadsheet could run.
Column words(const std::string& name);

}  // namespace shopbell::exports
