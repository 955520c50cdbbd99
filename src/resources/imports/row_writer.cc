#include "resources/imports/row_writer.h"

#include "base/limits.h"
#include "base/problem.h"
#include "base/text.h"

namespace shopbell::imports {

pg::Scope ImportSession::scope() const {
  return {.account = account, .deadline = pg::Steady::now() + limits::kImportDeadline};
}

RowError error_of(std::int64_t row, std::string_view pointer, std::string_view code,
                  std::string_view detail) {
  const auto cut = [](std::string_view text) {
    return beginning_of(std::string{text}, limits::kImportErrorBytes);
  };
  return {row, cut(pointer), std::string{code}, cut(detail)};
}

std::vector<RowError> errors_of(const Record& record, const Problem& problem) {
  std::vector<RowError> errors;
  for (const auto& fault : problem.faults())
    errors.push_back(error_of(record.row, fault.where == Fault::Where::pointer ? fault.at : "",
                              fault.code, fault.detail));
  if (errors.empty())
    errors.push_back(error_of(record.row, "", kind_of(problem.code()).name, problem.detail()));
  return errors;
}

}  // namespace shopbell::imports
