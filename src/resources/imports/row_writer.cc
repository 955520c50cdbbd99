#include "resources/imports/row_writer.h"

#include "base/limits.h"
#include "base/problem.h"

namespace shopbell::imports {

pg::Scope Desk::scope() const {
  return {.account = account, .deadline = pg::Steady::now() + limits::kImportDeadline};
}

std::vector<RowError> errors_of(const Record& record, const Problem& problem) {
  std::vector<RowError> errors;
  for (const auto& fault : problem.faults())
    errors.push_back({record.row, fault.where == Fault::Where::pointer ? fault.at : "", fault.code,
                      fault.detail});
  if (errors.empty())
    errors.push_back({record.row, "", kind_of(problem.code()).name, problem.detail()});
  return errors;
}

}  // namespace shopbell::imports
