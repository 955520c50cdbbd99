#include "base/problem.h"

#include <algorithm>

namespace shopbell {

namespace {
std::string wire_name(std::string_view identifier) {
  std::string name{identifier};
  std::ranges::replace(name, '_', '-');
  return name;
}
}  // namespace

const std::vector<ProblemKind>& problem_kinds() {
  static const std::vector<ProblemKind> kinds{
#define SHOPBELL_PROBLEM_ROW(code, status, title, mend) \
  {Code::code, wire_name(#code), status, title, mend},
      SHOPBELL_PROBLEMS(SHOPBELL_PROBLEM_ROW)
#undef SHOPBELL_PROBLEM_ROW
  };
  return kinds;
}

const ProblemKind& kind_of(Code code) { return problem_kinds()[static_cast<std::size_t>(code)]; }

Problem::Problem(Code code, std::string detail, std::vector<Fault> faults)
    : code_{code}, detail_{std::move(detail)}, faults_{std::move(faults)} {}

Problem Problem::with_header(std::string name, std::string value) && {
  headers_.emplace_back(std::move(name), std::move(value));
  return std::move(*this);
}

Problem Problem::with_member(std::string name, std::string json) && {
  members_.emplace_back(std::move(name), std::move(json));
  return std::move(*this);
}

}  // namespace shopbell
