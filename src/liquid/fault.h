// Fault: one error of a template, with its place in the source.
#pragma once

#include <cstddef>
#include <string>

namespace shopbell::liquid {

struct Fault {
  std::size_t line = 1;
  std::size_t column = 1;  // in characters, from 1
  std::string message;
};

}  // namespace shopbell::liquid
