// The guide to errors: every problem code and every code of a fault, as Markdown. docs/errors.md is
// made of it.
#pragma once

#include <string>

namespace shopbell::http {

std::string problem_guide();

}  // namespace shopbell::http
