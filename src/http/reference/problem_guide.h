// The error guide: all problem codes and fault codes, as Markdown. docs/errors.md is generated from
// it.
#pragma once

#include <string>

namespace shopbell::http {

std::string problem_guide();

}  // namespace shopbell::http
